import type { PodCacheEntry, WritablePodCache } from '@nodeagent/api';
import { runtimeStatus } from '../support/runtime-objects.js';

/** A minimal pod cache: waiting readers retry after every write. */
export function createTestPodCache(): WritablePodCache {
  const entries = new Map<string, PodCacheEntry>();
  const readers = new Set<(podUid: string | undefined, moment: number) => void>();
  let listed = Number.NEGATIVE_INFINITY;
  let last = 0;
  const wrote = (podUid: string | undefined, moment: number) => {
    for (const reader of [...readers]) reader(podUid, moment);
  };
  const cache: WritablePodCache = {
    onWaiting: undefined,
    moment: () => ++last,
    get(podUid) {
      const { status, error } = entries.get(podUid) ?? {};
      if (error !== undefined) throw error;
      return status ?? runtimeStatus(podUid);
    },
    getNewerThan: (podUid, moment, signal) =>
      new Promise((resolve, reject) => {
        const end = () => {
          readers.delete(reader);
          signal?.removeEventListener('abort', abort);
        };
        const abort = () => {
          end();
          reject(signal?.reason);
        };
        const answer = () => {
          end();
          try {
            resolve(cache.get(podUid));
          } catch (error) {
            reject(error);
          }
        };
        const reader = (written: string | undefined, at: number) => {
          if (at > moment && (written === undefined || written === podUid)) answer();
        };
        if (signal?.aborted) return abort();
        if (Math.max(listed, entries.get(podUid)?.observed ?? listed) > moment) return answer();
        readers.add(reader);
        signal?.addEventListener('abort', abort);
        cache.onWaiting?.(podUid, moment);
      }),
    set(podUid, status, error, moment) {
      entries.set(podUid, { status, error, modified: moment, observed: moment });
      wrote(podUid, moment);
    },
    delete: (podUid) => void entries.delete(podUid),
    updateTime(moment) {
      listed = moment;
      wrote(undefined, moment);
    },
    setObservedTime(podUid, moment) {
      const entry = entries.get(podUid);
      if (entry) entry.observed = moment;
      wrote(podUid, moment);
    },
    peek: (podUid) => entries.get(podUid),
    entries: () => entries.entries(),
  };
  return cache;
}
