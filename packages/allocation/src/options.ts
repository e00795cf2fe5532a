import type { Clock, Container, EventRecorder, Logger, Metrics, Pod, PodAdmitHandler, ResourceList } from '@nodeagent/api';
import type { AllocationStore } from './allocation-store.js';

/** Options of {@link createAllocationManager}. All functions must answer from memory. */
export interface AllocationManagerOptions {
  /** The active pods as their sources have them, without rejected and terminated pods. */
  activePods(): readonly Pod[];
  /** The node's allocatable resources: `cpu` and `memory` as in a Node's `status.allocatable`. Called at each decision on a resize. */
  nodeAllocatable(): ResourceList;
  /** Requests a sync of a pod whose resize was allocated, refused or withdrawn. Must not throw. */
  syncPod(podUid: string): void;
  /** Called with the requested pod when its resize was allocated, before {@link syncPod}. Must not throw. Default: none. */
  resizeStarted?(pod: Pod): void;
  /**
   * Whether every source has delivered its first list. Until then no resize is allocated, so that none uses resources of a pod from before
   * a restart. Default: true.
   */
  allSourcesReady?(): boolean;
  /** Called in order until one refuses. Default: every pod is admitted. */
  admitHandlers?: readonly PodAdmitHandler[];
  /** The pod with the resources last applied to its containers. Default: the allocated ones. */
  actuatedPod?(allocated: Pod): Pod;
  /** Whether a container may use swap, in which case its memory cannot be resized. Default: none. */
  usesSwap?(pod: Pod, container: Container): boolean;
  /** `none` (default) or `static`, as in KubeletConfiguration. */
  cpuManagerPolicy?: string;
  /** `None` (default) or `Static`, as in KubeletConfiguration. */
  memoryManagerPolicy?: string;
  /** Stores allocations across restarts. Default: none; after a restart the pods' specs apply. */
  store?: AllocationStore;
  /** Interval of the periodic retry of pending resizes in milliseconds. Default 3 min; 30 s until all sources are ready. */
  retryPeriodMs?: number;
  /** Default: the system clock. */
  clock?: Clock;
  /** Default: none. */
  recorder?: EventRecorder;
  /** Default: silent. */
  logger?: Logger;
  /** Default: none. */
  metrics?: Metrics;
}
