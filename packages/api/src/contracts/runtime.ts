import type { Pod } from '../objects/pod.js';

/** A container's state as the runtime reports it; a sandbox is `running` when ready, else `exited`. */
export type RuntimeContainerState = 'created' | 'running' | 'exited' | 'unknown';

/** A container or sandbox in a listing. */
export interface RuntimeContainer {
  id: string;
  /** The container's name in the pod spec; empty for a sandbox. */
  name: string;
  state: RuntimeContainerState;
  /** Nanoseconds since 1970. */
  createdAt: bigint;
  /** The image as the container was created from it. */
  image: string;
  imageId: string;
  imageRef: string;
  /** Hash of the container's definition, hexadecimal; empty if the runtime has none. */
  hash: string;
  podSandboxId: string;
}

/** What the runtime has of one pod, from one listing. */
export interface RuntimePod {
  uid: string;
  name: string;
  namespace: string;
  /** Newest first. */
  containers: RuntimeContainer[];
  /** Highest attempt first. */
  sandboxes: RuntimeContainer[];
}

/** A pod's identity, enough to ask the runtime about it. */
export interface PodIdentity {
  uid: string;
  name: string;
  namespace: string;
}

/** One container (one attempt of it) in full. */
export interface RuntimeContainerStatus {
  id: string;
  name: string;
  state: RuntimeContainerState;
  /** Nanoseconds since 1970. */
  createdAt: bigint;
  /** Nanoseconds since 1970; undefined until it was started. */
  startedAt?: bigint;
  /** Nanoseconds since 1970; only when exited. */
  finishedAt?: bigint;
  exitCode: number;
  /** The image as the spec named it when the container was created. */
  image: string;
  imageId: string;
  imageRef: string;
  hash: string;
  restartCount: number;
  reason: string;
  message: string;
  podSandboxId: string;
  resources?: RuntimeContainerResources;
  user?: { uid: number; gid: number; supplementalGroups: number[] };
  stopSignal?: string;
}

/** Resources in force: CPU in millicores, memory in bytes; absent means unlimited or unknown. */
export interface RuntimeContainerResources {
  cpuRequest?: number;
  cpuLimit?: number;
  memoryRequest?: bigint;
  memoryLimit?: bigint;
}

export interface RuntimeSandboxStatus {
  id: string;
  attempt: number;
  state: 'ready' | 'notReady';
  /** Nanoseconds since 1970. */
  createdAt: bigint;
  /** Whose network namespace it uses. */
  networkMode: 'POD' | 'NODE';
  /** Absent if the runtime reports no network at all. */
  network?: { ip: string; additionalIps: string[] };
  runtimeHandler: string;
}

/** Everything the runtime knows of one pod: `containerStatuses` newest first, `sandboxStatuses` highest attempt first. */
export interface PodRuntimeStatus extends PodIdentity {
  /** Of the newest sandbox, if it is ready. */
  ips: string[];
  containerStatuses: RuntimeContainerStatus[];
  /** The container statuses that belong to the ready newest sandbox. */
  activeContainerStatuses: RuntimeContainerStatus[];
  sandboxStatuses: RuntimeSandboxStatus[];
}

export type SyncAction =
  | 'CreatePodSandbox'
  | 'ConfigPodSandbox'
  | 'KillPodSandbox'
  | 'StartContainer'
  | 'InitContainer'
  | 'KillContainer'
  | 'RemoveContainer'
  | 'ResizePodInPlace';

/** The outcome of one action of a sync. */
export interface SyncResult {
  action: SyncAction;
  /** A container's name or id, or a sandbox's id. */
  target: string;
  /** A failed action's error; its `code` is the waiting reason of a failed StartContainer. */
  error?: Error;
}

/** Why a sync does something to a container or the pod, or leaves it as it is; for people. */
export interface SyncReason {
  action: 'killPod' | 'createSandbox' | 'start' | 'kill' | 'keep' | 'reset' | 'update';
  /** The container's name; empty for the pod itself. */
  target: string;
  reason: string;
}

/** The outcome of a pod's sync or kill. */
export interface PodSyncResult {
  results: SyncResult[];
  /** Why the sync decided as it did; absent for a kill, and from a runtime that does not tell. */
  reasons?: readonly SyncReason[];
  /** Why the whole stopped early, if it did. */
  error?: Error;
}

/** Whether the runtime serves: CRI conditions RuntimeReady and NetworkReady. */
export interface RuntimeHealth {
  runtimeReady: boolean;
  networkReady: boolean;
  /** Reason and message of what is not ready. */
  runtimeMessage: string;
  networkMessage: string;
  /** What each way of running pods can do, by the name that a RuntimeClass gives; the default one has an empty name. Absent if unknown. */
  handlers?: { name: string; features: { recursiveReadOnlyMounts: boolean; userNamespaces: boolean } }[];
  /** What the runtime can do whatever the handler. Absent if unknown. */
  features?: { supplementalGroupsPolicy: boolean };
}

/** What a sync of a pod depends on beside the pod and its observed status. */
export interface RuntimeSyncOptions {
  /**
   * The pod's condition AllContainersRestarting is true: the sync only removes the pod's containers, and the next sync starts them
   * again. Default false.
   */
  restartAllContainers?: boolean;
}

/**
 * A container runtime as the pod workers and the PLEG see it: CRI's runtime manager behind it, or an object of your own.
 * Calls for different pods may run at once; calls that change one pod are made one after the other by its worker.
 */
export interface Runtime {
  /** The name in container ids: `containerd` in `containerd://...`. Known once {@link checkRuntime} succeeded. */
  readonly runtimeName: string;
  /** Checks that the runtime answers and speaks the right version. Rejects with a hint if not. */
  checkRuntime(signal?: AbortSignal): Promise<void>;
  status(signal?: AbortSignal): Promise<RuntimeHealth>;
  /** Pods with running containers or, with `all`, everything the runtime still has. A snapshot of the caller's own. */
  getPods(all: boolean, signal?: AbortSignal): Promise<RuntimePod[]>;
  /** One pod with everything the runtime has of it; undefined if nothing. */
  getPod(uid: string, signal?: AbortSignal): Promise<RuntimePod | undefined>;
  /** Empty for a pod of which the runtime has nothing. */
  getPodStatus(pod: RuntimePod, signal?: AbortSignal): Promise<PodRuntimeStatus>;
  /**
   * Takes the steps from the observed status towards the spec; none for a pod that is as its spec says. Never rejects: errors are in the
   * result, and one container's does not keep the others from starting. Not cancelled halfway.
   */
  syncPod(pod: Pod, status: PodRuntimeStatus, options?: RuntimeSyncOptions): Promise<PodSyncResult>;
  /**
   * Stops all running containers in their order within the grace period, then the sandboxes. `pod` is undefined for a pod that
   * only the runtime knows. Idempotent. Never rejects: errors are in the result.
   */
  killPod(pod: Pod | undefined, running: RuntimePod, gracePeriodOverride?: number): Promise<PodSyncResult>;
  /** Removes exited containers and sandboxes that nobody needs: Kubernetes documentation, "Garbage collection of containers". */
  garbageCollect(allSourcesReady: boolean): Promise<void>;
  /** Forgets back-offs that ran out. */
  collectBackOff(): void;
}
