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
  /** Hash of the container's definition, hexadecimal; empty if the runtime stores none. */
  hash: string;
  podSandboxId: string;
}

/** A pod's containers and sandboxes, from one listing. */
export interface RuntimePod {
  uid: string;
  name: string;
  namespace: string;
  /** Newest first. */
  containers: RuntimeContainer[];
  /** Highest attempt first. */
  sandboxes: RuntimeContainer[];
  /** The pod source from which the pod was created, by the annotation of its newest sandbox. Absent if the runtime stores none. */
  configSource?: string;
}

/** A pod's identity, sufficient to query the runtime. */
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

/** The runtime's complete status of one pod: `containerStatuses` newest first, `sandboxStatuses` highest attempt first. */
export interface PodRuntimeStatus extends PodIdentity {
  /** IP addresses of the newest sandbox, if it is ready. */
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
  /** The error of a failed action. For StartContainer its `code` is the waiting reason. */
  error?: Error;
}

/** Why a sync changes a container or the pod, or leaves it unchanged; for logs and diagnostics. */
export interface SyncReason {
  action: 'killPod' | 'createSandbox' | 'start' | 'kill' | 'keep' | 'reset' | 'update';
  /** The container's name; empty for the pod itself. */
  target: string;
  reason: string;
}

/** The outcome of a pod's sync or kill. */
export interface PodSyncResult {
  results: SyncResult[];
  /** Why the sync decided as it did. Absent for a kill, and if the runtime does not report reasons. */
  reasons?: readonly SyncReason[];
  /** The error that stopped the sync early, if one did. */
  error?: Error;
}

/** The runtime's health: CRI conditions RuntimeReady and NetworkReady. */
export interface RuntimeHealth {
  runtimeReady: boolean;
  networkReady: boolean;
  /** Reason and message of the condition that is not true. */
  runtimeMessage: string;
  networkMessage: string;
  /** The features of each runtime handler, by handler name; the default handler has an empty name. Absent if unknown. */
  handlers?: { name: string; features: { recursiveReadOnlyMounts: boolean; userNamespaces: boolean } }[];
  /** The features of the runtime that do not depend on the handler. Absent if unknown. */
  features?: { supplementalGroupsPolicy: boolean };
}

/** Inputs of a pod's sync besides the pod and its observed status. */
export interface RuntimeSyncOptions {
  /**
   * The pod's condition AllContainersRestarting is true: the sync only removes the pod's containers, and the next sync starts them
   * again. Default false.
   */
  restartAllContainers?: boolean;
  /**
   * Ephemeral containers that have started, by the pod's status. They never start again, also if the runtime no longer has them. Default:
   * none.
   */
  startedEphemeralContainers?: ReadonlySet<string>;
}

/**
 * A container runtime as the pod workers and the PLEG use it: `@nodeagent/runtime-manager` for CRI, or a custom implementation. Calls for
 * different pods may run concurrently; the pod's worker serialises the calls that change one pod.
 */
export interface Runtime {
  /** The name in container ids: `containerd` in `containerd://...`. Known once {@link checkRuntime} succeeded. */
  readonly runtimeName: string;
  /** Checks that the runtime responds and supports the required API version. Rejects with a hint otherwise. */
  checkRuntime(signal?: AbortSignal): Promise<void>;
  status(signal?: AbortSignal): Promise<RuntimeHealth>;
  /** The pods with running containers or, with `all`, also those with only exited ones. A copy. */
  getPods(all: boolean, signal?: AbortSignal): Promise<RuntimePod[]>;
  /** One pod with all its containers and sandboxes; undefined if the runtime has none. */
  getPod(uid: string, signal?: AbortSignal): Promise<RuntimePod | undefined>;
  /** The pod's status; empty if the runtime has no container or sandbox of the pod. */
  getPodStatus(pod: RuntimePod, signal?: AbortSignal): Promise<PodRuntimeStatus>;
  /**
   * Changes the pod from the observed status towards its spec; does nothing if they match. Never rejects: errors are in the result, and a
   * container that fails does not prevent the others from starting. Cannot be cancelled.
   */
  syncPod(pod: Pod, status: PodRuntimeStatus, options?: RuntimeSyncOptions): Promise<PodSyncResult>;
  /**
   * Stops all running containers in the termination order within the grace period, then the sandboxes. `pod` is undefined for a pod that
   * only the runtime knows. Idempotent. Never rejects: errors are in the result.
   *
   * `signal` aborts when the pod has to stop sooner. The call then ends with the signal's reason as its error and leaves what it has not
   * stopped; the caller calls it again with the shorter grace period. A runtime that ignores the signal keeps the first grace period.
   */
  killPod(pod: Pod | undefined, running: RuntimePod, gracePeriodOverride?: number, signal?: AbortSignal): Promise<PodSyncResult>;
  /** Removes exited containers and sandboxes that are no longer needed: Kubernetes documentation, "Garbage collection of containers". */
  garbageCollect(allSourcesReady: boolean): Promise<void>;
  /** Removes expired back-off entries. */
  collectBackOff(): void;
}
