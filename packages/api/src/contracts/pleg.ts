import type { Channel } from './channel.js';
import type { Startable } from './lifecycle.js';
import type { PodRuntimeStatus } from './runtime.js';

export type PodLifecycleEventType = 'ContainerStarted' | 'ContainerDied' | 'ContainerRemoved' | 'ContainerChanged' | 'PodSync';

export interface PodLifecycleEvent {
  podUid: string;
  type: PodLifecycleEventType;
  /** The ID of the container or sandbox; absent for PodSync. */
  containerId?: string;
}

/**
 * Pod lifecycle event generator (PLEG): detects state changes of containers and sandboxes, sends events and updates the pod cache. Idle
 * until started.
 */
export interface PodLifecycleEventGenerator extends Startable {
  /** Events in the order of detection. When the channel is full, events are dropped and counted. */
  readonly events: Channel<PodLifecycleEvent>;
  /** Why the generator is unhealthy: no listing has succeeded yet, or none within the threshold. Undefined while it is healthy. */
  unhealthyReason(): string | undefined;
  /** Relists this pod as soon as possible instead of with the next full relist. Needs a started generator. Never blocks. */
  requestRelist(podUid: string): void;
  /** Makes the next relist fetch this pod's status even without a state change, and send PodSync. Idempotent. */
  requestReinspect(podUid: string): void;
  /**
   * Lists all pods, fetches the status of the changed ones, updates the cache, then sends events. Calls run one at a time, in order. Never
   * rejects: it logs a failed listing and changes nothing; it caches a failed status fetch as an error, and the next relist fetches again
   * and sends the events. A pod whose sandbox has stopped keeps its cached IP addresses.
   */
  relist(signal?: AbortSignal): Promise<void>;
}

/** The last observed runtime status of each pod. Readers share the entries and must not change them. */
export interface PodCache {
  /** The last status, or an empty one. Throws the error of the last status fetch if that failed. */
  get(podUid: string): PodRuntimeStatus;
  /**
   * A new revision of the cache: greater than every revision returned before, without any other meaning. Unlike a timestamp it orders
   * events within one clock tick and is unaffected by clock jumps.
   */
  revision(): number;
  /**
   * Waits for a status whose inspection began after `revision` (from {@link PodCache.revision}; minus infinity accepts any inspection), then as
   * {@link get}. Waits without a time limit; rejects when `signal` aborts.
   */
  getNewerThan(podUid: string, revision: number, signal?: AbortSignal): Promise<PodRuntimeStatus>;
}

/**
 * The generator's side of the cache. `revision` is the one taken from `PodCache.revision` before the inspection of the runtime began.
 */
export interface PodCacheWriter extends Pick<PodCache, 'revision'> {
  /**
   * Stores the result of an inspection: a status, or the error of the fetch, which readers then get. Resolves the readers that waited for
   * it.
   */
  set(podUid: string, status: PodRuntimeStatus | undefined, error: unknown, revision: number): void;
  /** Removes the pod; its waiting readers continue to wait. Idempotent. */
  delete(podUid: string): void;
  /** Records a full listing: every pod without a newer entry is unchanged at this revision. Resolves all readers that waited for it. */
  updateTime(revision: number): void;
  /** Records an inspection that found this pod unchanged. Resolves the readers that waited for it. */
  setObservedTime(podUid: string, revision: number): void;
  /** The pod's entry, or undefined. A view, do not change it. */
  peek(podUid: string): Readonly<PodCacheEntry> | undefined;
  /** The entries of all pods that the runtime last reported. A live view. */
  entries(): Iterable<[podUid: string, entry: Readonly<PodCacheEntry>]>;
  /** Called when a reader starts to wait for a status newer than `revision`. One listener: the generator, which then inspects the pod. */
  onWaiting: ((podUid: string, revision: number) => void) | undefined;
}

/** The cache's entry of a pod. */
export interface PodCacheEntry {
  /** May be set together with `error`: the part of the status that could be fetched. */
  status: PodRuntimeStatus | undefined;
  error: unknown;
  /** Revision of the inspection that found this status. */
  modified: number;
  /** Revision of the last inspection that found it unchanged. */
  observed: number;
}

/** Both sides of the cache. Pass it to readers as {@link PodCache}. */
export type WritablePodCache = PodCache & PodCacheWriter;
