import type { PodCache, PodRuntimeStatus } from '@nodeagent/api';

/** The generator's side of the cache; `moment` is always that at which the look began, one of {@link PodCache.moment}. */
export interface PodCacheWriter extends Pick<PodCache, 'moment'> {
  /** Stores what a look saw: a status, or the error that asking for it met and readers are to get. Answers the readers that waited for it. */
  set(podUid: string, status: PodRuntimeStatus | undefined, error: unknown, moment: number): void;
  /** Forgets the pod; readers that wait for it go on waiting. */
  delete(podUid: string): void;
  /** Notes that every pod was looked at: what has no newer entry is unchanged since. */
  updateTime(moment: number): void;
  /** Notes that this pod was looked at, without news. */
  setObservedTime(podUid: string, moment: number): void;
  /** What is stored, if anything; a view, not to be changed. */
  peek(podUid: string): Readonly<PodCacheEntry> | undefined;
  /** Every pod that the runtime was last seen to have anything of; a view of the moment. */
  entries(): Iterable<[podUid: string, entry: Readonly<PodCacheEntry>]>;
  /** Called when a reader begins to wait for news from after `moment`; one listener, a generator that looks for it then. */
  onWaiting: ((podUid: string, moment: number) => void) | undefined;
}

/** What is stored of a pod. */
export interface PodCacheEntry {
  /** May be there beside an error: what could be found out in spite of it. */
  status: PodRuntimeStatus | undefined;
  error: unknown;
  /** The moment of the look that found it. */
  modified: number;
  /** The moment of the last look that found it unchanged. */
  observed: number;
}

/** Both sides; hand {@link PodCache} to readers. */
export type WritablePodCache = PodCache & PodCacheWriter;

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
