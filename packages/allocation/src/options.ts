import type { Clock, Container, EventRecorder, Logger, Metrics, Pod, PodAdmitHandler, ResourceList } from '@nodeagent/api';
import type { AllocationStore } from './allocation-store.js';

/** Options of {@link createAllocationManager}. All functions answer from memory. */
export interface AllocationManagerOptions {
  /** The pods that live on the node, as their sources have them: not those that were rejected or have ended. */
  activePods(): readonly Pod[];
  /** What the node has for pods: `cpu` and `memory` as in `status.allocatable` of a Node. Asked at each decision about a resize. */
  nodeAllocatable(): ResourceList;
  /** The pod has news: its resize was granted, refused or withdrawn. Must not throw. */
  syncPod(podUid: string): void;
  /** A resize was granted, before {@link syncPod}: the pod as it is wanted. Must not throw. Default: nobody is told. */
  resizeStarted?(pod: Pod): void;
  /** Whether every source has delivered its list: before, no resize is granted, so that none takes what a pod of before has. Default: yes. */
  allSourcesReady?(): boolean;
  /** Asked in this order, the first refusal counts. Default: every pod is admitted. */
  admitHandlers?: readonly PodAdmitHandler[];
  /** The pod with the resources that were last applied to its containers. Default: what it was granted. */
  actuatedPod?(allocated: Pod): Pod;
  /** Whether a container may use swap: its memory then cannot be resized. Default: none does. */
  usesSwap?(pod: Pod, container: Container): boolean;
  /** `none` (default) or `static`, as in KubeletConfiguration. */
  cpuManagerPolicy?: string;
  /** `None` (default) or `Static`, as in KubeletConfiguration. */
  memoryManagerPolicy?: string;
  /** Where allocations are kept over restarts. Default: nowhere; after a restart the pods' specs count. */
  store?: AllocationStore;
  /** How often waiting resizes are tried although nothing happened, in milliseconds. Default 3 min; 30 s until all sources are ready. */
  retryPeriodMs?: number;
  /** Default: real time. */
  clock?: Clock;
  /** Default: none. */
  recorder?: EventRecorder;
  /** Default: silent. */
  logger?: Logger;
  /** Default: none. */
  metrics?: Metrics;
}
