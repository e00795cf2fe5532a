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

/** Finds out what happened to containers and keeps the pod cache current. */
export interface PodLifecycleEventGenerator extends Startable {
  /** Events in the order they were found; those of a full channel are dropped and counted. */
  readonly events: Channel<PodLifecycleEvent>;
  /** Undefined while healthy, else why not. */
  unhealthyReason(): string | undefined;
  /** Looks at this pod's containers as soon as possible instead of at the next relist. Never blocks. */
  requestRelist(podUid: string): void;
  /** Asks for this pod's status at the next relist even if nothing seems to have changed. */
  requestReinspect(podUid: string): void;
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
