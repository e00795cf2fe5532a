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
  return new StatusCache();
}

class StatusCache implements WritablePodCache {
  onWaiting: WritablePodCache['onWaiting'] = undefined;
  readonly #entries = new Map<string, PodCacheEntry>();
  readonly #waiters = new Map<string, Waiter[]>();
  #updated = Number.NEGATIVE_INFINITY;
  #lastRevision = 0;

  get(podUid: string): PodRuntimeStatus {
    const entry = this.#entries.get(podUid);
    if (entry?.error !== undefined) throw entry.error;
    return entry?.status ?? emptyPodStatus(podUid);
  }

  peek(podUid: string): PodCacheEntry | undefined {
    return this.#entries.get(podUid);
  }

  entries(): IterableIterator<[string, PodCacheEntry]> {
    return this.#entries.entries();
  }

  revision(): number {
    return ++this.#lastRevision;
  }

  async getNewerThan(podUid: string, revision: number, signal?: AbortSignal): Promise<PodRuntimeStatus> {
    signal?.throwIfAborted();
    if (this.#isNewerThan(podUid, revision)) return this.get(podUid);
    const newer = this.#wait(podUid, revision, signal);
    this.onWaiting?.(podUid, revision);
    return newer;
  }

  set(podUid: string, status: PodRuntimeStatus | undefined, error: unknown, revision: number): void {
    this.#entries.set(podUid, { status, error, modified: revision, observed: revision });
    this.#notify(podUid, revision);
  }

  delete(podUid: string): void {
    this.#entries.delete(podUid);
  }

  updateTime(revision: number): void {
    this.#updated = revision;
    for (const podUid of [...this.#waiters.keys()]) this.#notify(podUid, revision);
  }

  setObservedTime(podUid: string, revision: number): void {
    const entry = this.#entries.get(podUid);
    if (entry !== undefined) entry.observed = revision;
    this.#notify(podUid, revision);
  }

  #isNewerThan(podUid: string, revision: number): boolean {
    const entry = this.#entries.get(podUid);
    return this.#updated > revision || (entry !== undefined && (entry.modified > revision || entry.observed > revision));
  }

  #wait(podUid: string, revision: number, signal: AbortSignal | undefined): Promise<PodRuntimeStatus> {
    return new Promise<PodRuntimeStatus>((resolve, reject) => {
      const abort = () => {
        this.#forget(podUid, waiter);
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
      const waiting = this.#waiters.get(podUid);
      if (waiting) waiting.push(waiter);
      else this.#waiters.set(podUid, [waiter]);
    });
  }

  /** Answers the waiters for a status of this revision or an older one. */
  #notify(podUid: string, revision: number): void {
    const waiting = this.#waiters.get(podUid);
    if (waiting === undefined) return;
    const later = waiting.filter((waiter) => waiter.revision > revision);
    if (later.length > 0) this.#waiters.set(podUid, later);
    else this.#waiters.delete(podUid);
    for (const waiter of waiting) if (waiter.revision <= revision) this.#answer(podUid, waiter);
  }

  #answer(podUid: string, waiter: Waiter): void {
    try {
      waiter.resolve(this.get(podUid));
    } catch (error) {
      waiter.reject(error);
    }
  }

  #forget(podUid: string, waiter: Waiter): void {
    const rest = (this.#waiters.get(podUid) ?? []).filter((other) => other !== waiter);
    if (rest.length > 0) this.#waiters.set(podUid, rest);
    else this.#waiters.delete(podUid);
  }
}
