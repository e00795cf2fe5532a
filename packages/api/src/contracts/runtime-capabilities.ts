import type { Pod } from '../objects/pod.js';
import type { PodIdentity, PodRuntimeStatus, RuntimePod, RuntimeSandboxStatus } from './runtime.js';

/** A {@link Runtime} that changes the resources of running containers: Kubernetes documentation, "Resize CPU and Memory Resources". */
export interface ResizableRuntime {
  /** Whether a running container's actual resources still differ from the pod's spec. Answered from memory. */
  isPodResizeInProgress(pod: Pod, status: Pick<PodRuntimeStatus, 'containerStatuses'>): boolean;
  /** The pod with the resources last applied to it and its containers, where known. Answered from memory; does not change `pod`. */
  actuatedPod(pod: Pod): Pod;
}

/** The streams that a client attaches to. With a terminal (`tty`) there is no separate stderr. */
export interface StreamOptions {
  stdin?: boolean;
  stdout?: boolean;
  stderr?: boolean;
  tty?: boolean;
}

/**
 * A {@link Runtime} that supports exec, attach and port-forward. Each call returns a URL for one client, which the runtime invalidates if
 * it is not used in time. All reject with the runtime's error.
 */
export interface StreamingRuntime {
  /** Runs a command in a running container. */
  execUrl(containerId: string, command: readonly string[], streams: StreamOptions, signal?: AbortSignal): Promise<URL>;
  /** Attaches to a running container's main process; `tty` as in its spec. */
  attachUrl(containerId: string, streams: StreamOptions, signal?: AbortSignal): Promise<URL>;
  /** Forwards ports of the pod's newest sandbox. Rejects with `PodSandboxNotFound` if the pod has none. */
  portForwardUrl(pod: Pod, ports: readonly number[], signal?: AbortSignal): Promise<URL>;
}

/** A {@link Runtime} that can remove dead containers before its periodic garbage collection. */
export interface ReclaimingRuntime {
  /**
   * Called after a container died: removes exited containers of the same name in excess of the configured number, or all dead containers of
   * the pod with `removeAll`. Never rejects.
   */
  deleteDeadContainers(status: PodRuntimeStatus, diedContainerId: string, removeAll: boolean): Promise<void>;
  /**
   * As {@link Runtime.garbageCollect}, and also removes containers of terminated pods that are not deleted. Eviction calls it to free disk
   * space.
   */
  deleteAllUnusedContainers(allSourcesReady: boolean): Promise<void>;
}

/** A runtime's name and version. */
export interface RuntimeVersion {
  /** `containerd`, `cri-o`, ... */
  name: string;
  /** The runtime's version string, unparsed. */
  version: string;
}

/** A {@link Runtime} that reports its version, for the Node's `status.nodeInfo.containerRuntimeVersion`. */
export interface VersionedRuntime {
  /** The version, cached for one minute. Rejects as {@link Runtime.checkRuntime}. */
  runtimeVersion(signal?: AbortSignal): Promise<RuntimeVersion>;
}

/** A change that a call of the agent makes, reported before and after the call. */
export interface RuntimeChange {
  /** The pod; absent if the call does not name it. */
  podUid?: string;
  /** The container or sandbox; absent if a failed call may have created one. */
  id?: string;
  /** The sandbox of the container, if the call names it; equals `id` for a sandbox. */
  podSandboxId?: string;
  /** The runtime has removed it. Default false. */
  removed?: boolean;
  /** The pod's sandbox as the runtime has answered after the change. Without a later change it need not be read again. */
  sandbox?: PodIdentity & { status: RuntimeSandboxStatus };
}

/**
 * A {@link Runtime} that reports what its calls change and reads single containers. The PLEG then reads only what has changed instead of
 * the whole pod.
 */
export interface InspectableRuntime {
  /** Called before and after each call that changes a container or sandbox. One listener: the PLEG. Must not throw. */
  onChange: ((change: RuntimeChange) => void) | undefined;
  /**
   * Reads the containers and sandboxes of `changes` and takes the others from `known`. Leaves out what does not exist; undefined if nothing of
   * the pod is left. Each change has an `id`, and a `podSandboxId` unless `known` has the container or sandbox.
   */
  inspectChanges(
    podUid: string,
    known: PodRuntimeStatus | undefined,
    changes: readonly RuntimeChange[],
    signal?: AbortSignal,
  ): Promise<InspectedPod | undefined>;
}

/** A pod as {@link InspectableRuntime} found it: both fields describe the same containers and sandboxes. */
export interface InspectedPod {
  pod: RuntimePod;
  status: PodRuntimeStatus;
}
