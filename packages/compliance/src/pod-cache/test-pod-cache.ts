import type { PodCacheEntry, WritablePodCache } from '@nodeagent/api';
import { runtimeStatus } from '../support/runtime-objects.js';

/** A minimal pod cache: waiting readers retry after every write. */
export function createTestPodCache(): WritablePodCache {
  const entries = new Map<string, PodCacheEntry>();
  const readers = new Set<(podUid: string | undefined, revision: number) => void>();
  let listed = Number.NEGATIVE_INFINITY;
  let last = 0;
  const wrote = (podUid: string | undefined, revision: number) => {
    for (const reader of [...readers]) reader(podUid, revision);
  };
  const cache: WritablePodCache = {
    onWaiting: undefined,
    revision: () => ++last,
    get(podUid) {
      const { status, error } = entries.get(podUid) ?? {};
      if (error !== undefined) throw error;
      return status ?? runtimeStatus(podUid);
    },
    getNewerThan: (podUid, revision, signal) =>
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
          if (at > revision && (written === undefined || written === podUid)) answer();
        };
        if (signal?.aborted) return abort();
        if (Math.max(listed, entries.get(podUid)?.observed ?? listed) > revision) return answer();
        readers.add(reader);
        signal?.addEventListener('abort', abort);
        cache.onWaiting?.(podUid, revision);
      }),
    set(podUid, status, error, revision) {
      entries.set(podUid, { status, error, modified: revision, observed: revision });
      wrote(podUid, revision);
    },
    delete: (podUid) => void entries.delete(podUid),
    updateTime(revision) {
      listed = revision;
      wrote(undefined, revision);
    },
    setObservedTime(podUid, revision) {
      const entry = entries.get(podUid);
      if (entry) entry.observed = revision;
      wrote(podUid, revision);
    },
    peek: (podUid) => entries.get(podUid),
    entries: () => entries.entries(),
  };
  return cache;
}
