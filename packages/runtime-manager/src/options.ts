import type {
  Clock,
  Container,
  EnsuredImage,
  EnsureImageRequest,
  EventRecorder,
  InspectableRuntime,
  Logger,
  Metrics,
  MountedVolume,
  Pod,
  ProbeResults,
  Random,
  ReclaimingRuntime,
  ResizableRuntime,
  Runtime,
  StreamingRuntime,
  SubPathRequest,
  VersionedRuntime,
} from '@nodeagent/api';
import type { ImageService, PodSandboxConfig, UserNamespace } from '@nodeagent/cri-api';
import type { ContainerDeviceOptions, ContainerLifecycle } from './config/container-devices.js';
import type { CriRuntime } from './cri/methods.js';
import type { ResizableResource } from './decide/pod-actions.js';
import type { PodFiles } from './files.js';
import type { RuntimeManagerSettings } from './settings.js';
import type { ActuatedStateStore } from './sync/actuated-state.js';
import type { HookRunner } from './sync/hooks.js';
import type { HookHttpGet } from './sync/http-get.js';

/** A request for the image of a container or an image volume, with the CRI configuration of the sandbox. */
export interface ContainerImageRequest extends EnsureImageRequest {
  sandboxConfig: PodSandboxConfig;
}

/** The image to create a container from. */
export type UsableImage = Pick<EnsuredImage, 'imageRef' | 'user'>;

/** Makes images available. Calls for several containers may run concurrently. */
export interface ImageEnsurer {
  /**
   * Resolves with the reference to create the container from. Rejects with an error whose `code` is the waiting reason:
   * `ErrImagePull`, `ImagePullBackOff`, `ErrImageNeverPull`, `InvalidImageName`, `ImageInspectError`.
   */
  ensureImageExists(request: ContainerImageRequest, signal?: AbortSignal): Promise<UsableImage>;
}

/** The pod workers' view of a pod's lifecycle. Methods return at once, without I/O. */
export interface PodStateProvider {
  isPodTerminationRequested(uid: string): boolean;
  /** The pod has terminated, and its logs and containers may be removed. */
  shouldPodContentBeRemoved(uid: string): boolean;
  /** The pod's containers have stopped and will not start again. */
  shouldPodRuntimeBeRemoved(uid: string): boolean;
}

/** The machine's capacity and kernel features. */
export interface Machine {
  /** Physical memory. */
  memoryBytes: bigint;
  cgroupVersion: 1 | 2;
  /** Huge page sizes that the kernel supports, such as `2MB` and `1GB`. */
  hugePageSizes: string[];
  /** Whether the kernel limits swap by cgroup. Default false: no swap limits are set. */
  swapController?: boolean;
  /** Swap in bytes. Default 0. */
  swapBytes?: bigint;
  /** The node's allocatable memory, for MemoryQoS. Called for each container; must not block. Default `memoryBytes`. */
  allocatableMemoryBytes?(): bigint;
  /** Default 4096. */
  pageSize?: number;
  /** Whether SELinux is enabled, so that volumes get the labels of containers. Default false. */
  selinux?: boolean;
  /** Paths to mask in addition to the default ones: existing `/sys/devices/system/cpu/cpu<N>/thermal_throttle`. */
  maskedPaths?: string[];
}

/** The cgroups of pods, for in-place resizes. */
export interface ResizablePodCgroups {
  /** Current memory usage in bytes of a pod whose cgroup limits memory; undefined if it does not, or if the usage is unknown. */
  memoryUsage(pod: Pod): Promise<bigint | undefined>;
  /** Sets the limit or the request of one resource to that of the pod's spec. Idempotent. */
  resize(pod: Pod, resource: ResizableResource, bound: 'limit' | 'request'): Promise<void>;
}

export interface RuntimeManagerOptions {
  /** The container runtime. */
  cri: CriRuntime;
  /** Makes images available before containers are created. */
  images: ImageEnsurer;
  /**
   * Gives the user that an image sets, if the image manager does not. Default none: the runtime then chooses the user of containers without `runAsUser`, and containers
   * with `runAsNonRoot` but without `runAsUser` fail.
   */
  imageService?: Pick<ImageService, 'imageStatus'>;
  /** Default: the system clock. */
  clock?: Clock;
  /** Source of the random file names of termination messages. Default: `Math.random`. */
  random?: Random;
  recorder?: EventRecorder;
  logger?: Logger;
  metrics?: Metrics;
  /** Folder of the pods' logs, such as `/var/log/pods`. */
  podLogsDir: string;
  /** Folder of the legacy links to container logs. Default `/var/log/containers`. */
  legacyLogsDir?: string;
  /** The pod's folder: `<root>/pods/<uid>`. */
  podDir(uid: string): string;
  /** Folder of Localhost seccomp profiles. Default `/var/lib/kubelet/seccomp`. */
  seccompDir?: string;
  /** File operations for logs, hosts files and termination messages: `nodeFiles` of `@nodeagent/runtime-manager/node`, or `createMemoryFiles()`. */
  files: PodFiles;
  /** The container's environment. A rejection fails the start with CreateContainerConfigError. */
  environment(pod: Pod, container: Container, podIps: string[]): Promise<Record<string, string>>;
  dns(pod: Pod): { servers: string[]; searches: string[]; options: string[] };
  /** The parent cgroup of the pod's sandbox. Default: the runtime's default. */
  cgroupParent?(pod: Pod): string;
  /** Domain of the cluster, for pods with a `subdomain`. Default `cluster.local`. */
  clusterDomain?: string;
  /** The node's hosts file, for pods on the host's network. Default `/etc/hosts`. */
  nodeHostsFile?: string;
  /** The pod's mounted volumes by name. Called at each container start. Default none. */
  mountedVolumes?(podUid: string): ReadonlyMap<string, MountedVolume>;
  /** Gives a safe path for a mount with a subPath. Default: such containers fail with CreateContainerConfigError. */
  prepareSubPath?(request: SubPathRequest): Promise<string>;
  /** Groups that the pod's volumes need. Default none. */
  extraSupplementalGroups?(pod: Pod): number[];
  /** The id mappings of pods with a separate user namespace, from `createUserNamespaces`. Default: pods with `hostUsers: false` fail. */
  userNamespaces?: { mappings(pod: Pod): Promise<UserNamespace> };
  /** The CRI handler of a runtime class, from `lookupRuntimeHandler`. Default: pods with a runtime class fail. */
  runtimeHandler?(runtimeClassName: string): Promise<string>;
  /** What devices add to a container. A rejection fails the start with CreateContainerConfigError. `signal` aborts when the agent stops. Default: nothing. */
  deviceOptions?(pod: Pod, container: Container, signal?: AbortSignal): Promise<ContainerDeviceOptions>;
  /** Prepares the pod's resource claims before its sandbox is created. `signal` aborts when the agent stops. Default: pods have no claims. */
  prepareDynamicResources?(pod: Pod, signal?: AbortSignal): Promise<void>;
  /** Callbacks around a container's lifecycle. Default: none. */
  containerLifecycle?: ContainerLifecycle;
  /** Whether a container has exclusive CPUs, and so no CPU quota. Must not block. Default: false. */
  hasExclusiveCpus?(pod: Pod, container: Container): boolean;
  /** Default: no container has probes. */
  probeResults?: Pick<ProbeResults, 'liveness' | 'startup'>;
  /** Default: no pod is terminating, no content may be removed. */
  podState?: PodStateProvider;
  /** Default: no memory capacity is known (a burstable container's `oom_score_adj` is then 999), cgroup v2, no huge pages. */
  machine?: Machine;
  /** Default: resizes change the cgroups of containers only. */
  podCgroups?: ResizablePodCgroups;
  /** Stores the resources applied to containers across restarts. Default: none; after a restart those of the specs count as applied. */
  actuatedState?: ActuatedStateStore;
  /**
   * Resolves when the allocated resources of all pods are stored, or storing them has failed: no container is created before. Default: they are stored
   * before a sync.
   */
  allocationsSaved?(): Promise<void>;
  /** Called after a resize that changed a container: the PLEG must inspect the pod although no container changed its state. Default: none. */
  requestReinspect?(podUid: string): void;
  /** Called when a pod has a new sandbox with its network, before a container starts in it. Must not throw. Default: none. */
  onSandboxReady?(pod: Pod): void;
  /** Runs postStart and preStop hooks. Default: exec over CRI, HTTP with `hookHttpGet`, sleep on the clock. */
  hooks?: HookRunner;
  /** Makes the requests of HTTP hooks: `nodeHttpGet` of `@nodeagent/runtime-manager/node`. Default: HTTP hooks fail. */
  hookHttpGet?: HookHttpGet;
  settings?: RuntimeManagerSettings;
  /**
   * Aborts when the agent stops: pending and later calls of the runtime, of hooks and of the other ports reject at once. Containers stay
   * as they are. Each call in flight adds a listener: a signal of `createAbortController()` takes more than ten without a warning of Node.js.
   * Default: never.
   */
  signal?: AbortSignal;
}

/** The runtime manager: {@link Runtime} over CRI, with every capability of a runtime. */
export interface RuntimeManager
  extends Runtime,
    ResizableRuntime,
    StreamingRuntime,
    ReclaimingRuntime,
    VersionedRuntime,
    InspectableRuntime {
  /** Sends the node's pod CIDR to the runtime. */
  updatePodCidr(podCidr: string, signal?: AbortSignal): Promise<void>;
  /** Removes one exited container with its logs. */
  deleteContainer(containerId: string): Promise<void>;
}
