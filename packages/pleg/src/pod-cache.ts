import type { PodCacheEntry, PodRuntimeStatus, WritablePodCache } from '@nodeagent/api';

interface Waiter {
  moment: number;
  resolve(status: PodRuntimeStatus): void;
  reject(error: unknown): void;
}

/** What is known of a pod that has no entry. */
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

/** Makes an empty cache. It holds one entry for each pod that was set and not deleted, and no timer. */
export function createPodCache(): WritablePodCache {
  const entries = new Map<string, PodCacheEntry>();
  const waiters = new Map<string, Waiter[]>();
  let updated = Number.NEGATIVE_INFINITY;
  let lastMoment = 0;

  const read = (podUid: string): PodRuntimeStatus => {
    const entry = entries.get(podUid);
    if (entry?.error !== undefined) throw entry.error;
    return entry?.status ?? emptyPodStatus(podUid);
  };
  const isNewerThan = (podUid: string, moment: number): boolean => {
    const entry = entries.get(podUid);
    return updated > moment || (entry !== undefined && (entry.modified > moment || entry.observed > moment));
  };
  const answer = (podUid: string, waiter: Waiter) => {
    try {
      waiter.resolve(read(podUid));
    } catch (error) {
      waiter.reject(error);
    }
  };
  const notify = (podUid: string, moment: number) => {
    const waiting = waiters.get(podUid);
    if (waiting === undefined) return;
    const later = waiting.filter((waiter) => waiter.moment > moment);
    if (later.length > 0) waiters.set(podUid, later);
    else waiters.delete(podUid);
    for (const waiter of waiting) if (waiter.moment <= moment) answer(podUid, waiter);
  };
  const forget = (podUid: string, waiter: Waiter) => {
    const rest = (waiters.get(podUid) ?? []).filter((other) => other !== waiter);
    if (rest.length > 0) waiters.set(podUid, rest);
    else waiters.delete(podUid);
  };

  const cache: WritablePodCache = {
    get: read,
    moment: () => ++lastMoment,
    onWaiting: undefined,
    async getNewerThan(podUid, moment, signal) {
      signal?.throwIfAborted();
      if (isNewerThan(podUid, moment)) return read(podUid);
      const news = new Promise<PodRuntimeStatus>((resolve, reject) => {
        const abort = () => {
          forget(podUid, waiter);
          reject(signal?.reason);
        };
        const waiter: Waiter = {
          moment,
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
      cache.onWaiting?.(podUid, moment);
      return news;
    },
    set(podUid, status, error, moment) {
      entries.set(podUid, { status, error, modified: moment, observed: moment });
      notify(podUid, moment);
    },
    delete: (podUid) => void entries.delete(podUid),
    updateTime(moment) {
      updated = moment;
      for (const podUid of [...waiters.keys()]) notify(podUid, moment);
    },
    setObservedTime(podUid, moment) {
      const entry = entries.get(podUid);
      if (entry !== undefined) entry.observed = moment;
      notify(podUid, moment);
    },
    peek: (podUid) => entries.get(podUid),
    entries: () => entries.entries(),
  };
  return cache;
}
