import type {
  Clock,
  Container,
  EnsureImageRequest,
  EventRecorder,
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
  VersionedRuntime,
  VolumeMount,
} from '@nodeagent/api';
import type { ImageService, LinuxContainerResources, PodSandboxConfig, UserNamespace } from '@nodeagent/cri-api';
import type { ActuatedStateStore } from './actuated-state.js';
import type { ContainerDeviceOptions, ContainerLifecycle } from './container-devices.js';
import type { CriRuntime } from './cri-runtime.js';
import type { PodFiles } from './files.js';
import type { HookRunner } from './hooks.js';
import type { ResizableResource } from './pod-actions.js';
import type { RuntimeManagerSettings } from './settings.js';

/** What a container, or an image volume, needs of an image, with its sandbox in the form of the CRI. */
export interface ContainerImageRequest extends EnsureImageRequest {
  sandboxConfig: PodSandboxConfig;
}

/** Makes images available. Calls for several containers may run at once. */
export interface ImageEnsurer {
  /**
   * Resolves with the reference to create the container from. Rejects with an error whose `code` is the waiting reason:
   * `ErrImagePull`, `ImagePullBackOff`, `ErrImageNeverPull`, `InvalidImageName`, `ImageInspectError`.
   */
  ensureImageExists(request: ContainerImageRequest, signal?: AbortSignal): Promise<{ imageRef: string }>;
}

/** What the pod workers know about a pod's life; answered from memory. */
export interface PodStateProvider {
  isPodTerminationRequested(uid: string): boolean;
  /** The pod is over and its logs and containers may go. */
  shouldPodContentBeRemoved(uid: string): boolean;
  /** The pod's containers have stopped for good. */
  shouldPodRuntimeBeRemoved(uid: string): boolean;
}

/** Facts about the machine that resources are computed from. */
export interface Machine {
  /** Physical memory. */
  memoryBytes: bigint;
  cgroupVersion: 1 | 2;
  /** Huge page sizes the kernel offers, as `2MB` and `1GB`. */
  hugePageSizes: string[];
  /** Whether the kernel limits swap by cgroup. Default false: swap is left alone. */
  swapController?: boolean;
  /** Swap in bytes. Default 0. */
  swapBytes?: bigint;
  /** Memory that pods may have, for MemoryQoS; asked for each container, answered from memory. Default `memoryBytes`. */
  allocatableMemoryBytes?(): bigint;
  /** Default 4096. */
  pageSize?: number;
  /** Whether SELinux is enabled, so that volumes get the labels of containers. Default false. */
  selinux?: boolean;
  /** Paths to hide from containers beside the fixed ones: existing `/sys/devices/system/cpu/cpu<N>/thermal_throttle`. */
  maskedPaths?: string[];
}

/** What a volume mount with a `subPath` needs: a path that no symbolic link of the volume can lead outside. */
export interface SubPathRequest {
  pod: Pod;
  container: Container;
  mount: VolumeMount;
  /** Position in the container's `volumeMounts`. */
  mountIndex: number;
  /** The volume on the node. */
  volumePath: string;
  /** The path inside the volume, with variables expanded. */
  subPath: string;
}

/** The pods' own cgroups, for resizes in place. */
export interface PodCgroups {
  /** Memory that the pod uses now, in bytes; undefined if unknown. */
  memoryUsage(pod: Pod): Promise<bigint | undefined>;
  /** Puts the values of one resource in force. Idempotent. */
  setResources(pod: Pod, resource: ResizableResource, resources: LinuxContainerResources): Promise<void>;
}

export interface RuntimeManagerOptions {
  /** The runtime. */
  cri: CriRuntime;
  /** Makes images available before containers are created. */
  images: ImageEnsurer;
  /**
   * Tells the user that an image names. Default: none is asked; containers without `runAsUser` then leave the user to the runtime, and
   * `runAsNonRoot` without `runAsUser` cannot be verified and fails.
   */
  imageService?: Pick<ImageService, 'imageStatus'>;
  /** Default: the system clock. */
  clock?: Clock;
  /** Names the files of termination messages. Default the process's own randomness. */
  random?: Random;
  recorder?: EventRecorder;
  logger?: Logger;
  metrics?: Metrics;
  /** Where pods' logs are, such as `/var/log/pods`. */
  podLogsDir: string;
  /** Where links in the older layout are kept. Default `/var/log/containers`. */
  legacyLogsDir?: string;
  /** A pod's own folder: `<root>/pods/<uid>`. */
  podDir(uid: string): string;
  /** Folder of Localhost seccomp profiles. Default `/var/lib/kubelet/seccomp`. */
  seccompDir?: string;
  /** Files beside the containers: logs, hosts file, termination messages. Default: the node's file system. */
  files?: PodFiles;
  /** The container's environment; a rejection becomes its CreateContainerConfigError. */
  environment(pod: Pod, container: Container, podIps: string[]): Promise<Record<string, string>>;
  dns(pod: Pod): { servers: string[]; searches: string[]; options: string[] };
  /** The pod's cgroup. Default: the runtime's own choice. */
  cgroupParent?(pod: Pod): string;
  /** Domain of the cluster, for pods with a `subdomain`. Default `cluster.local`. */
  clusterDomain?: string;
  /** The node's hosts file, for pods on the host's network. Default `/etc/hosts`. */
  nodeHostsFile?: string;
  /** The pod's mounted volumes by name; asked at each container start. Default none. */
  mountedVolumes?(podUid: string): ReadonlyMap<string, MountedVolume>;
  /** Gives a safe path for a mount with a subPath. Default: such containers fail with CreateContainerConfigError. */
  prepareSubPath?(request: SubPathRequest): Promise<string>;
  /** Groups that the pod's volumes need. Default none. */
  extraSupplementalGroups?(pod: Pod): number[];
  /** The ids of pods with a user namespace of their own, as `createUserNamespaces` gives. Default: pods with `hostUsers: false` fail. */
  userNamespaces?: { mappings(pod: Pod): Promise<UserNamespace> };
  /** The CRI handler of a runtime class, as `lookupRuntimeHandler` finds it. Default: only pods without a class run. */
  runtimeHandler?(runtimeClassName: string): Promise<string>;
  /** What devices add to a container; a rejection becomes its CreateContainerConfigError. The signal is the agent's end. Default: nothing. */
  deviceOptions?(pod: Pod, container: Container, signal?: AbortSignal): Promise<ContainerDeviceOptions>;
  /** Makes the pod's resource claims ready for its containers, before it gets a sandbox. The signal is the agent's end. Default: there are none. */
  prepareDynamicResources?(pod: Pod, signal?: AbortSignal): Promise<void>;
  /** Told around a container's life. Default: nobody. */
  containerLifecycle?: ContainerLifecycle;
  /** Whether a container has CPUs of its own, and so no CPU quota; answered from memory. Default: none has. */
  hasExclusiveCpus?(pod: Pod, container: Container): boolean;
  /** Default: nothing is probed. */
  probeResults?: Pick<ProbeResults, 'liveness' | 'startup'>;
  /** Default: no termination is known, nothing may be removed. */
  podState?: PodStateProvider;
  /** Default: no memory capacity is known (a burstable container's `oom_score_adj` is then 999), cgroup v2, no huge pages. */
  machine?: Machine;
  /** Without it no pod has a cgroup of its own that a resize must change. */
  podCgroups?: PodCgroups;
  /** Where the resources applied to containers are kept over restarts. Default: nowhere; after a restart those of the specs count. */
  actuatedState?: ActuatedStateStore;
  /** Called after a resize: the pod's containers have to be looked at although none changed its state. */
  requestReinspect?(podUid: string): void;
  /** Told as soon as a pod has a new sandbox with its network, before anything starts in it; must not throw. Default: nobody. */
  onSandboxReady?(pod: Pod): void;
  /** Runs postStart and preStop hooks. Default: exec over CRI, HTTP over `node:http`, sleep on the clock. */
  hooks?: HookRunner;
  settings?: RuntimeManagerSettings;
  /**
   * The end of the agent: whatever waits for the runtime, a hook or a container's turn to stop fails at once, and so does each later
   * call. Containers stay as they are. Default: never.
   */
  signal?: AbortSignal;
}

/** The runtime manager: {@link Runtime} over CRI, with every capability of a runtime. */
export interface RuntimeManager extends Runtime, ResizableRuntime, StreamingRuntime, ReclaimingRuntime, VersionedRuntime {
  /** Tells the runtime the range of addresses for the node's pods. */
  updatePodCidr(podCidr: string, signal?: AbortSignal): Promise<void>;
  /** Removes one exited container with its logs. */
  deleteContainer(containerId: string): Promise<void>;
}
