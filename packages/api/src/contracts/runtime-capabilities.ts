import type { Pod } from '../objects/pod.js';
import type { PodRuntimeStatus } from './runtime.js';

/** A {@link Runtime} that changes the resources of running containers: Kubernetes documentation, "Resize CPU and Memory Resources". */
export interface ResizableRuntime {
  /** Whether a running container of the pod still has other resources than its spec says. Answered from memory. */
  isPodResizeInProgress(pod: Pod, status: Pick<PodRuntimeStatus, 'containerStatuses'>): boolean;
  /** The pod with the resources last applied to it and its containers, as far as they are known. Answered from memory; changes nothing. */
  actuatedPod(pod: Pod): Pod;
}

/** Which streams of a process a client gets. With a terminal there is no separate error output. */
export interface StreamOptions {
  stdin?: boolean;
  stdout?: boolean;
  stderr?: boolean;
  tty?: boolean;
}

/** A {@link Runtime} that streams. It tells where it waits for a client, once and for a short while. All reject as the runtime does. */
export interface StreamingRuntime {
  /** For a command to be run in a running container. */
  execUrl(containerId: string, command: readonly string[], streams: StreamOptions, signal?: AbortSignal): Promise<URL>;
  /** For a running container's own process; `tty` as in its spec. */
  attachUrl(containerId: string, streams: StreamOptions, signal?: AbortSignal): Promise<URL>;
  /** For connections to ports of a pod's newest sandbox. Rejects with `PodSandboxNotFound` if it has none. */
  portForwardUrl(pod: Pod, ports: readonly number[], signal?: AbortSignal): Promise<URL>;
}

/** A {@link Runtime} that frees what dead containers hold before its garbage collection would. */
export interface ReclaimingRuntime {
  /**
   * After a container died: removes exited containers of the same name beyond those the settings keep, or all of the pod's with
   * `removeAll`. Never rejects.
   */
  deleteDeadContainers(status: PodRuntimeStatus, diedContainerId: string, removeAll: boolean): Promise<void>;
  /** As {@link Runtime.garbageCollect}, and also for pods that have stopped but not been deleted: what eviction does for disk space. */
  deleteAllUnusedContainers(): Promise<void>;
}

/** Which runtime it is. */
export interface RuntimeVersion {
  /** `containerd`, `cri-o`, ... */
  name: string;
  /** In the runtime's own form. */
  version: string;
}

/** A {@link Runtime} that tells its version, for the Node's `status.nodeInfo.containerRuntimeVersion`. */
export interface VersionedRuntime {
  /** An answer counts for a minute. Rejects as {@link Runtime.checkRuntime}. */
  runtimeVersion(signal?: AbortSignal): Promise<RuntimeVersion>;
}
