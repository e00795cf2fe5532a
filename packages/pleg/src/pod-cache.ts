import type { PodCacheEntry, PodRuntimeStatus, WritablePodCache } from '@nodeagent/api';

interface Waiter {
  revision: number;
  resolve(status: PodRuntimeStatus): void;
  reject(error: unknown): void;
}

/** The status of a pod without an entry. */
export function emptyPodStatus(podUid: string): PodRuntimeStatus {
  return {
    uid: podUid,
    name: '',
    namespace: '',
    ips: [],
    containerStatuses: [],
    activeContainerStatuses: [],
    sandboxStatuses: [],
  };
}

/** Creates an empty cache. It holds one entry for each pod that was set and not deleted, and no timer. */
export function createPodCache(): WritablePodCache {
  const entries = new Map<string, PodCacheEntry>();
  const waiters = new Map<string, Waiter[]>();
  let updated = Number.NEGATIVE_INFINITY;
  let lastRevision = 0;

  const read = (podUid: string): PodRuntimeStatus => {
    const entry = entries.get(podUid);
    if (entry?.error !== undefined) throw entry.error;
    return entry?.status ?? emptyPodStatus(podUid);
  };
  const isNewerThan = (podUid: string, revision: number): boolean => {
    const entry = entries.get(podUid);
    return updated > revision || (entry !== undefined && (entry.modified > revision || entry.observed > revision));
  };
  const answer = (podUid: string, waiter: Waiter) => {
    try {
      waiter.resolve(read(podUid));
    } catch (error) {
      waiter.reject(error);
    }
  };
  const notify = (podUid: string, revision: number) => {
    const waiting = waiters.get(podUid);
    if (waiting === undefined) return;
    const later = waiting.filter((waiter) => waiter.revision > revision);
    if (later.length > 0) waiters.set(podUid, later);
    else waiters.delete(podUid);
    for (const waiter of waiting) if (waiter.revision <= revision) answer(podUid, waiter);
  };
  const forget = (podUid: string, waiter: Waiter) => {
    const rest = (waiters.get(podUid) ?? []).filter((other) => other !== waiter);
    if (rest.length > 0) waiters.set(podUid, rest);
    else waiters.delete(podUid);
  };

  const cache: WritablePodCache = {
    get: read,
    revision: () => ++lastRevision,
    onWaiting: undefined,
    async getNewerThan(podUid, revision, signal) {
      signal?.throwIfAborted();
      if (isNewerThan(podUid, revision)) return read(podUid);
      const newer = new Promise<PodRuntimeStatus>((resolve, reject) => {
        const abort = () => {
          forget(podUid, waiter);
          reject(signal?.reason);
        };
        const waiter: Waiter = {
          revision,
          resolve: (status) => {
            signal?.removeEventListener('abort', abort);
            resolve(status);
          },
          reject: (error) => {
            signal?.removeEventListener('abort', abort);
            reject(error);
          },
        };
        signal?.addEventListener('abort', abort, { once: true });
        const waiting = waiters.get(podUid);
        if (waiting) waiting.push(waiter);
        else waiters.set(podUid, [waiter]);
      });
      cache.onWaiting?.(podUid, revision);
      return newer;
    },
    set(podUid, status, error, revision) {
      entries.set(podUid, { status, error, modified: revision, observed: revision });
      notify(podUid, revision);
    },
    delete: (podUid) => void entries.delete(podUid),
    updateTime(revision) {
      updated = revision;
      for (const podUid of [...waiters.keys()]) notify(podUid, revision);
    },
    setObservedTime(podUid, revision) {
      const entry = entries.get(podUid);
      if (entry !== undefined) entry.observed = revision;
      notify(podUid, revision);
    },
    peek: (podUid) => entries.get(podUid),
    entries: () => entries.entries(),
  };
  return cache;
}
