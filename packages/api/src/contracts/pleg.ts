import type { Channel } from './channel.js';
import type { Startable } from './lifecycle.js';
import type { PodRuntimeStatus } from './runtime.js';

export type PodLifecycleEventType = 'ContainerStarted' | 'ContainerDied' | 'ContainerRemoved' | 'ContainerChanged' | 'PodSync';

export interface PodLifecycleEvent {
  podUid: string;
  type: PodLifecycleEventType;
  /** The container's or sandbox's id; absent for PodSync. */
  containerId?: string;
}

/** Finds out what happened to containers and sandboxes, and keeps the pod cache current. Does nothing by itself before it is started. */
export interface PodLifecycleEventGenerator extends Startable {
  /** Events in the order they were found; those of a full channel are dropped and counted. */
  readonly events: Channel<PodLifecycleEvent>;
  /** Undefined while healthy, else why not: no listing has succeeded, or none for long. */
  unhealthyReason(): string | undefined;
  /** Once started: looks at this pod's containers as soon as possible instead of at the next relist. Never blocks. */
  requestRelist(podUid: string): void;
  /** Asks for this pod's status at the next relist even if nothing seems to have changed, and sends PodSync then. Idempotent. */
  requestReinspect(podUid: string): void;
  /**
   * Lists all pods, asks for the status of those that changed, updates the cache, then sends events. One at a time: a call while
   * another runs follows it. Never rejects: a failed listing is logged and leaves everything as it was; a failed status is cached,
   * and the next relist asks again and sends the events. A pod without addresses whose sandbox has stopped keeps those it had in the cache.
   */
  relist(signal?: AbortSignal): Promise<void>;
}

/** What the runtime was last seen to have of each pod. Entries are shared: readers do not change them. */
export interface PodCache {
  /** The last status, or an empty one. Throws the error that getting it met, if it did. */
  get(podUid: string): PodRuntimeStatus;
  /**
   * The present moment in the order of everything that was done and seen, later than every moment given before; its number means
   * nothing else. Unlike a time it tells apart what happens within one tick of a clock, and no jump of a clock changes it.
   */
  moment(): number;
  /**
   * As {@link get}, once there is news from a look that began after `moment` (one of {@link moment}; minus infinity: from any look).
   * Waits without limit; rejects when `signal` aborts.
   */
  getNewerThan(podUid: string, moment: number, signal?: AbortSignal): Promise<PodRuntimeStatus>;
}

/** The generator's side of the cache; `moment` is always that at which the look began, one of {@link PodCache.moment}. */
export interface PodCacheWriter extends Pick<PodCache, 'moment'> {
  /** Stores what a look saw: a status, or the error that asking for it met and readers get. Answers the readers that waited for it. */
  set(podUid: string, status: PodRuntimeStatus | undefined, error: unknown, moment: number): void;
  /** Forgets the pod; readers that wait for it go on waiting. Idempotent. */
  delete(podUid: string): void;
  /** Notes that every pod was looked at: what has no newer entry is unchanged since. Answers all readers that waited for it. */
  updateTime(moment: number): void;
  /** Notes that this pod was looked at, without news. Answers the readers that waited for it. */
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
