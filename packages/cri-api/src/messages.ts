// Generated from packages/cri-client/proto/runtime.v1.proto. Do not edit.

/** Transport of a published port. */
export type Protocol =
  | 'TCP'
  | 'UDP'
  | 'SCTP';

/** Mount propagation: private, host to container (rslave), or bidirectional (rshared). */
export type MountPropagation =
  | 'PROPAGATION_PRIVATE'
  | 'PROPAGATION_HOST_TO_CONTAINER'
  | 'PROPAGATION_BIDIRECTIONAL';

/** Which namespace a container uses: the pod's, its own, the node's, or that of another container. */
export type NamespaceMode =
  | 'POD'
  | 'CONTAINER'
  | 'NODE'
  | 'TARGET';

/** Merge: also the groups of the user in the image. Strict: only those in the pod's spec. */
export type SupplementalGroupsPolicy =
  | 'Merge'
  | 'Strict';

/** Source of a profile: the runtime's default, none (unconfined), or a profile on the node. */
export type ProfileType =
  | 'RuntimeDefault'
  | 'Unconfined'
  | 'Localhost';

/** Whether a sandbox is ready. Not ready: stopped or broken, so that the pod needs a new one. */
export type PodSandboxState =
  | 'SANDBOX_READY'
  | 'SANDBOX_NOTREADY';

/** A Unix signal, under its name in Linux. */
export type Signal =
  | 'RUNTIME_DEFAULT'
  | 'SIGABRT'
  | 'SIGALRM'
  | 'SIGBUS'
  | 'SIGCHLD'
  | 'SIGCLD'
  | 'SIGCONT'
  | 'SIGFPE'
  | 'SIGHUP'
  | 'SIGILL'
  | 'SIGINT'
  | 'SIGIO'
  | 'SIGIOT'
  | 'SIGKILL'
  | 'SIGPIPE'
  | 'SIGPOLL'
  | 'SIGPROF'
  | 'SIGPWR'
  | 'SIGQUIT'
  | 'SIGSEGV'
  | 'SIGSTKFLT'
  | 'SIGSTOP'
  | 'SIGSYS'
  | 'SIGTERM'
  | 'SIGTRAP'
  | 'SIGTSTP'
  | 'SIGTTIN'
  | 'SIGTTOU'
  | 'SIGURG'
  | 'SIGUSR1'
  | 'SIGUSR2'
  | 'SIGVTALRM'
  | 'SIGWINCH'
  | 'SIGXCPU'
  | 'SIGXFSZ'
  | 'SIGRTMIN'
  | 'SIGRTMINPLUS1'
  | 'SIGRTMINPLUS2'
  | 'SIGRTMINPLUS3'
  | 'SIGRTMINPLUS4'
  | 'SIGRTMINPLUS5'
  | 'SIGRTMINPLUS6'
  | 'SIGRTMINPLUS7'
  | 'SIGRTMINPLUS8'
  | 'SIGRTMINPLUS9'
  | 'SIGRTMINPLUS10'
  | 'SIGRTMINPLUS11'
  | 'SIGRTMINPLUS12'
  | 'SIGRTMINPLUS13'
  | 'SIGRTMINPLUS14'
  | 'SIGRTMINPLUS15'
  | 'SIGRTMAXMINUS14'
  | 'SIGRTMAXMINUS13'
  | 'SIGRTMAXMINUS12'
  | 'SIGRTMAXMINUS11'
  | 'SIGRTMAXMINUS10'
  | 'SIGRTMAXMINUS9'
  | 'SIGRTMAXMINUS8'
  | 'SIGRTMAXMINUS7'
  | 'SIGRTMAXMINUS6'
  | 'SIGRTMAXMINUS5'
  | 'SIGRTMAXMINUS4'
  | 'SIGRTMAXMINUS3'
  | 'SIGRTMAXMINUS2'
  | 'SIGRTMAXMINUS1'
  | 'SIGRTMAX';

/** State of a container. Unknown: the runtime cannot determine it. */
export type ContainerState =
  | 'CONTAINER_CREATED'
  | 'CONTAINER_RUNNING'
  | 'CONTAINER_EXITED'
  | 'CONTAINER_UNKNOWN';

/** Type of a container event. A restart is a new container. */
export type ContainerEventType =
  | 'CONTAINER_CREATED_EVENT'
  | 'CONTAINER_STARTED_EVENT'
  | 'CONTAINER_STOPPED_EVENT'
  | 'CONTAINER_DELETED_EVENT';

/** A counter only increases; a gauge can also decrease. */
export type MetricType =
  | 'COUNTER'
  | 'GAUGE';

/** The cgroup driver: systemd (slices and scopes) or cgroupfs. */
export type CgroupDriver =
  | 'SYSTEMD'
  | 'CGROUPFS';

/** Request of `RuntimeService.version`. */
export interface VersionRequest {
  /** Version of the kubelet's runtime API: 0.1.0. */
  version?: string;
}

/** Response of `RuntimeService.version`. */
export interface VersionResponse {
  /** Version of the kubelet's runtime API: 0.1.0. */
  version: string;
  /** containerd, cri-o, ... */
  runtimeName: string;
  /** In the runtime's format. */
  runtimeVersion: string;
  /** Version of the CRI: v1. */
  runtimeApiVersion: string;
}

/** Content of a sandbox's resolv.conf. */
export interface DNSConfig {
  /** IP addresses of name servers. */
  servers?: string[];
  /** Search domains. */
  searches?: string[];
  /** As in resolv.conf: `ndots:5`. */
  options?: string[];
}

/** A port of the sandbox that is published on the node. */
export interface PortMapping {
  protocol?: Protocol;
  containerPort?: number;
  /** 0: not published. */
  hostPort?: number;
  /** Address of the node to listen on; empty is all. */
  hostIp?: string;
}

/** A file or folder of the host, or of an image, inside a container. */
export interface Mount {
  /** Absolute path in the container. */
  containerPath?: string;
  /** Absolute path on the host; the runtime creates a missing one as a folder. Symbolic links are resolved when the container is created. */
  hostPath?: string;
  readonly?: boolean;
  /** Whether the runtime gives the content the container's SELinux label. */
  selinuxRelabel?: boolean;
  propagation?: MountPropagation;
  /** For an idmapped mount: user ids of the container and of the host. */
  uidMappings?: IDMapping[];
  /** For an idmapped mount: group ids of the container and of the host. */
  gidMappings?: IDMapping[];
  /** Read-only including mounts below it. Requires `readonly`, private propagation and a runtime handler that supports it. */
  recursiveReadOnly?: boolean;
  /** Mounts the content of this image (read-only) instead of a path of the host; the image must be present. */
  image?: ImageSpec;
  /** Folder in the image, to mount only a part of it. */
  imageSubPath?: string;
}

/** A mapping of a range of ids from a user namespace to the host. */
export interface IDMapping {
  /** First id on the host. */
  hostId: number;
  /** First id in the container. */
  containerId: number;
  /** Number of ids. */
  length: number;
}

/** The user namespace of a pod; only POD and NODE are possible. */
export interface UserNamespace {
  mode?: NamespaceMode;
  uids?: IDMapping[];
  gids?: IDMapping[];
}

/** Which namespaces a sandbox or container has. In a container all but `pid` must be those of its sandbox. */
export interface NamespaceOption {
  /** POD or NODE. */
  network?: NamespaceMode;
  /** POD, CONTAINER, NODE or TARGET. */
  pid?: NamespaceMode;
  /** POD or NODE. */
  ipc?: NamespaceMode;
  /** Id of the container whose process namespace is joined, for TARGET. */
  targetId?: string;
  usernsOptions?: UserNamespace;
}

/** An optional number, where zero is a valid value. */
export interface Int64Value {
  value: bigint;
}

/** Security context of the sandbox. Containers have a separate one. */
export interface LinuxSandboxSecurityContext {
  namespaceOptions?: NamespaceOption;
  selinuxOptions?: SELinuxOption;
  /** User id of the sandbox process. */
  runAsUser?: Int64Value;
  /** Group id of the sandbox process; only together with `runAsUser`. */
  runAsGroup?: Int64Value;
  readonlyRootfs?: boolean;
  /** Further groups of the sandbox process. */
  supplementalGroups?: bigint[];
  supplementalGroupsPolicy?: SupplementalGroupsPolicy;
  /** Whether the sandbox may have privileged containers. */
  privileged?: boolean;
  seccomp?: SecurityProfile;
  apparmor?: SecurityProfile;
  /** Deprecated by `seccomp`, not sent any more. */
  seccompProfilePath?: string;
}

/** A seccomp or AppArmor profile: the runtime's default, none, or one of the node. */
export interface SecurityProfile {
  profileType?: ProfileType;
  /** For Localhost: path of the seccomp profile, or name of the loaded AppArmor profile. */
  localhostRef?: string;
}

/** Linux configuration of a sandbox. */
export interface LinuxPodSandboxConfig {
  /** Parent cgroup of the sandbox: a path for the cgroupfs driver, a slice's name for systemd. */
  cgroupParent?: string;
  securityContext?: LinuxSandboxSecurityContext;
  /** Kernel parameters to set in the sandbox. */
  sysctls?: Record<string, string>;
  /** The pod's overhead from its RuntimeClass, as resources. */
  overhead?: LinuxContainerResources;
  /** Sum of the resources of the pod's containers, without overhead. */
  resources?: LinuxContainerResources;
}

/** Identity of a sandbox: unique on a node. */
export interface PodSandboxMetadata {
  /** Name of the pod. */
  name: string;
  /** Uid of the pod. */
  uid: string;
  /** Namespace of the pod. */
  namespace: string;
  /** Number of times the sandbox was created before; starts at 0. */
  attempt: number;
}

/** Configuration of a sandbox to create. */
export interface PodSandboxConfig {
  metadata?: PodSandboxMetadata;
  /** Not set for pods in the host network. */
  hostname?: string;
  /** Folder for the logs of the containers: /var/log/pods/NAMESPACE_NAME_UID. `ContainerConfig.logPath` is below it. */
  logDirectory?: string;
  /** Absent: the node's own resolv.conf. */
  dnsConfig?: DNSConfig;
  portMappings?: PortMapping[];
  /** Identify the sandbox; returned unchanged in lists and statuses. */
  labels?: Record<string, string>;
  /** Returned unchanged in lists and statuses. */
  annotations?: Record<string, string>;
  linux?: LinuxPodSandboxConfig;
  windows?: WindowsPodSandboxConfig;
}

/** Request of `RuntimeService.runPodSandbox`. */
export interface RunPodSandboxRequest {
  config?: PodSandboxConfig;
  /** Handler of the RuntimeClass; empty for the default one. An unknown handler is an error. */
  runtimeHandler?: string;
}

/** Response of `RuntimeService.runPodSandbox`. */
export interface RunPodSandboxResponse {
  podSandboxId: string;
}

/** Request of `RuntimeService.stopPodSandbox`. */
export interface StopPodSandboxRequest {
  podSandboxId?: string;
}

/** Response of `RuntimeService.stopPodSandbox`. */
export type StopPodSandboxResponse = Record<string, never>;

/** Request of `RuntimeService.removePodSandbox`. */
export interface RemovePodSandboxRequest {
  podSandboxId?: string;
}

/** Response of `RuntimeService.removePodSandbox`. */
export type RemovePodSandboxResponse = Record<string, never>;

/** Request of `RuntimeService.podSandboxStatus`. */
export interface PodSandboxStatusRequest {
  podSandboxId?: string;
  /** Whether to fill `info`. */
  verbose?: boolean;
}

/** An IP address of a pod. */
export interface PodIP {
  ip: string;
}

/** Addresses of a sandbox. */
export interface PodSandboxNetworkStatus {
  /** The pod's primary IP; empty in the host network. */
  ip: string;
  /** The other IPs, of a dual-stack pod. */
  additionalIps: PodIP[];
}

/** Namespaces of a sandbox. */
export interface Namespace {
  options?: NamespaceOption;
}

/** Linux status of a sandbox. */
export interface LinuxPodSandboxStatus {
  /** Namespaces of the sandbox. */
  namespaces?: Namespace;
}

/** Full status of a sandbox. */
export interface PodSandboxStatus {
  id: string;
  metadata?: PodSandboxMetadata;
  state: PodSandboxState;
  /** Nanoseconds since 1970. */
  createdAt: bigint;
  /** Absent without a network. */
  network?: PodSandboxNetworkStatus;
  linux?: LinuxPodSandboxStatus;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  /** Runtime handler that it was created with. */
  runtimeHandler: string;
}

/** Response of `RuntimeService.podSandboxStatus`. */
export interface PodSandboxStatusResponse {
  status?: PodSandboxStatus;
  /** Debug information in the runtime's format; only if verbose. */
  info: Record<string, string>;
  /** The sandbox's containers, from runtimes with GetContainerEvents. */
  containersStatuses: ContainerStatus[];
  /** When the status was true, in nanoseconds since 1970; from runtimes with GetContainerEvents. */
  timestamp: bigint;
}

/** A state to filter by; a message, because the zero value is a state too. */
export interface PodSandboxStateValue {
  state?: PodSandboxState;
}

/** Fields are joined by "and"; an empty filter matches all. */
export interface PodSandboxFilter {
  id?: string;
  state?: PodSandboxStateValue;
  /** Labels that must all be present with these values. */
  labelSelector?: Record<string, string>;
}

/** Request of `RuntimeService.listPodSandbox`. */
export interface ListPodSandboxRequest {
  filter?: PodSandboxFilter;
}

/** List entry of a sandbox. */
export interface PodSandbox {
  id: string;
  metadata?: PodSandboxMetadata;
  state: PodSandboxState;
  /** Nanoseconds since 1970. */
  createdAt: bigint;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  /** Runtime handler that it was created with. */
  runtimeHandler: string;
}

/** Response of `RuntimeService.listPodSandbox`. */
export interface ListPodSandboxResponse {
  items: PodSandbox[];
}

/** Request of `RuntimeService.streamPodSandboxes`. */
export interface StreamPodSandboxesRequest {
  filter?: PodSandboxFilter;
}

/** One message of the response stream of `RuntimeService.streamPodSandboxes`. */
export interface StreamPodSandboxesResponse {
  podSandboxes: PodSandbox[];
}

/** Request of `RuntimeService.podSandboxStats`. */
export interface PodSandboxStatsRequest {
  podSandboxId?: string;
}

/** Response of `RuntimeService.podSandboxStats`. */
export interface PodSandboxStatsResponse {
  stats?: PodSandboxStats;
}

/** Fields are joined by "and"; an empty filter matches all. */
export interface PodSandboxStatsFilter {
  id?: string;
  /** Labels that must all be present with these values. */
  labelSelector?: Record<string, string>;
}

/** Request of `RuntimeService.listPodSandboxStats`. */
export interface ListPodSandboxStatsRequest {
  filter?: PodSandboxStatsFilter;
}

/** Response of `RuntimeService.listPodSandboxStats`. */
export interface ListPodSandboxStatsResponse {
  stats: PodSandboxStats[];
}

/** Request of `RuntimeService.streamPodSandboxStats`. */
export interface StreamPodSandboxStatsRequest {
  filter?: PodSandboxStatsFilter;
}

/** One message of the response stream of `RuntimeService.streamPodSandboxStats`. */
export interface StreamPodSandboxStatsResponse {
  podSandboxStats: PodSandboxStats[];
}

/** Identity of the object that the stats belong to. */
export interface PodSandboxAttributes {
  id: string;
  metadata?: PodSandboxMetadata;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

/** Resource usage of a sandbox: of the whole pod, including its containers. */
export interface PodSandboxStats {
  attributes?: PodSandboxAttributes;
  linux?: LinuxPodSandboxStats;
  windows?: WindowsPodSandboxStats;
}

/** Resource usage of a sandbox on Linux. */
export interface LinuxPodSandboxStats {
  cpu?: CpuUsage;
  memory?: MemoryUsage;
  network?: NetworkUsage;
  process?: ProcessUsage;
  /** Stats of each container. */
  containers: ContainerStats[];
  io?: IoUsage;
}

/** Resource usage of a sandbox on Windows. */
export interface WindowsPodSandboxStats {
  cpu?: WindowsCpuUsage;
  memory?: WindowsMemoryUsage;
  network?: WindowsNetworkUsage;
  process?: WindowsProcessUsage;
  containers: WindowsContainerStats[];
}

/** Traffic of a sandbox. */
export interface NetworkUsage {
  /** Time of the measurement, in nanoseconds since 1970. */
  timestamp: bigint;
  /** The interface with the default route. */
  defaultInterface?: NetworkInterfaceUsage;
  /** All other interfaces. */
  interfaces: NetworkInterfaceUsage[];
}

/** Traffic of a sandbox on Windows. */
export interface WindowsNetworkUsage {
  /** Time of the measurement, in nanoseconds since 1970. */
  timestamp: bigint;
  defaultInterface?: WindowsNetworkInterfaceUsage;
  interfaces: WindowsNetworkInterfaceUsage[];
}

/** Counted since the interface came up. */
export interface NetworkInterfaceUsage {
  name: string;
  rxBytes?: UInt64Value;
  rxErrors?: UInt64Value;
  txBytes?: UInt64Value;
  txErrors?: UInt64Value;
}

/** Counted since the interface came up. */
export interface WindowsNetworkInterfaceUsage {
  name: string;
  rxBytes?: UInt64Value;
  rxPacketsDropped?: UInt64Value;
  txBytes?: UInt64Value;
  txPacketsDropped?: UInt64Value;
}

/** Processes of a sandbox. */
export interface ProcessUsage {
  /** Time of the measurement, in nanoseconds since 1970. */
  timestamp: bigint;
  processCount?: UInt64Value;
}

/** Processes of a sandbox on Windows. */
export interface WindowsProcessUsage {
  /** Time of the measurement, in nanoseconds since 1970. */
  timestamp: bigint;
  processCount?: UInt64Value;
}

/** Identifies an image. */
export interface ImageSpec {
  /** Reference by name (registry/name:tag or @digest), or an image's id. In a container: the reference that the runtime resolved. */
  image?: string;
  /** For the image puller; may contain the runtime handler. */
  annotations?: Record<string, string>;
  /** As in the pod's spec. */
  userSpecifiedImage?: string;
  /** For which runtime handler the image is pulled; empty for the default one. */
  runtimeHandler?: string;
  /** Digest or id of the image on this node, if the kubelet knows it. */
  imageRef?: string;
}

/** An environment variable. The value is bytes: it need not be UTF-8. */
export interface KeyValue {
  key: string;
  value: Uint8Array;
}

/** Limits of a container. Zero means not specified. */
export interface LinuxContainerResources {
  /** CFS period in microseconds. */
  cpuPeriod?: bigint;
  /** CFS quota in microseconds per period; -1 for none. */
  cpuQuota?: bigint;
  /** Relative weight, 1024 per CPU. */
  cpuShares?: bigint;
  /** Memory limit in bytes. */
  memoryLimitInBytes?: bigint;
  /** From -1000 (never OOM-killed) to 1000 (killed first). */
  oomScoreAdj?: bigint;
  /** Allowed CPUs: `0-2,7`. */
  cpusetCpus?: string;
  /** Allowed memory nodes: `0-1`. */
  cpusetMems?: string;
  hugepageLimits?: HugepageLimit[];
  /** Further files of cgroup v2, by name: `memory.high`. */
  unified?: Record<string, string>;
  /** Memory and swap together, in bytes. */
  memorySwapLimitInBytes?: bigint;
}

/** Limit of huge pages of one size. */
export interface HugepageLimit {
  /** `2MB`, `1GB`: as in the file names of the hugetlb cgroup. */
  pageSize: string;
  /** In bytes. */
  limit: bigint;
}

/** Parts of an SELinux label. */
export interface SELinuxOption {
  user?: string;
  role?: string;
  type?: string;
  level?: string;
}

/** Changes to the default capabilities of a container. `ALL` for all capabilities. */
export interface Capability {
  addCapabilities?: string[];
  dropCapabilities?: string[];
  /** Capabilities that also become ambient: programs of non-root users keep them. */
  addAmbientCapabilities?: string[];
}

/** Security context of a container. */
export interface LinuxContainerSecurityContext {
  /** Ignored when privileged. */
  capabilities?: Capability;
  /** All capabilities and devices, no masked paths, no seccomp, AppArmor or SELinux. Only in a privileged sandbox. */
  privileged?: boolean;
  namespaceOptions?: NamespaceOption;
  selinuxOptions?: SELinuxOption;
  /** User id; excludes `runAsUsername`. Absent: the image's user. */
  runAsUser?: Int64Value;
  /** Group id; only together with one of the users. */
  runAsGroup?: Int64Value;
  /** User by name, from the image's /etc/passwd. */
  runAsUsername?: string;
  /** Whether the root file system cannot be written to. */
  readonlyRootfs?: boolean;
  /** Further groups of the first process. */
  supplementalGroups?: bigint[];
  supplementalGroupsPolicy?: SupplementalGroupsPolicy;
  /** Whether programs cannot gain privileges (setuid has no effect). */
  noNewPrivs?: boolean;
  /** Paths whose content is hidden. */
  maskedPaths?: string[];
  /** Paths that cannot be written to. */
  readonlyPaths?: string[];
  seccomp?: SecurityProfile;
  apparmor?: SecurityProfile;
  /** Deprecated by `apparmor`. */
  apparmorProfile?: string;
  /** Deprecated by `seccomp`, not sent any more. */
  seccompProfilePath?: string;
}

/** Linux configuration of a container. */
export interface LinuxContainerConfig {
  resources?: LinuxContainerResources;
  securityContext?: LinuxContainerSecurityContext;
}

/** The user of a container's first process. */
export interface LinuxContainerUser {
  uid: bigint;
  gid: bigint;
  supplementalGroups: bigint[];
}

/** Namespaces of a sandbox on Windows. */
export interface WindowsNamespaceOption {
  /** POD or NODE. */
  network?: NamespaceMode;
}

/** Security context of a sandbox on Windows. */
export interface WindowsSandboxSecurityContext {
  runAsUsername?: string;
  /** Of the group managed service account, as JSON. */
  credentialSpec?: string;
  /** Whether the pod's containers are processes of the host. */
  hostProcess?: boolean;
  namespaceOptions?: WindowsNamespaceOption;
}

/** Windows configuration of a sandbox. */
export interface WindowsPodSandboxConfig {
  securityContext?: WindowsSandboxSecurityContext;
}

/** Security context of a container on Windows. */
export interface WindowsContainerSecurityContext {
  /** User by name, in the container or as DOMAIN\\user. */
  runAsUsername?: string;
  /** Of the group managed service account, as JSON. */
  credentialSpec?: string;
  /** Whether the container is a process of the host. */
  hostProcess?: boolean;
}

/** Windows configuration of a container. */
export interface WindowsContainerConfig {
  resources?: WindowsContainerResources;
  securityContext?: WindowsContainerSecurityContext;
}

/** Limits of a container on Windows. Zero means not specified. */
export interface WindowsContainerResources {
  /** Relative weight, up to 10000. */
  cpuShares?: bigint;
  /** Number of CPUs. */
  cpuCount?: bigint;
  /** Share of all CPU cycles, in hundredths of a percent. */
  cpuMaximum?: bigint;
  memoryLimitInBytes?: bigint;
  /** Size of the scratch space. */
  rootfsSizeInBytes?: bigint;
  /** Allowed CPUs. */
  affinityCpus?: WindowsCpuGroupAffinity[];
}

/** CPUs of one processor group, as a bit mask. */
export interface WindowsCpuGroupAffinity {
  cpuMask?: bigint;
  cpuGroup?: number;
}

/** Identity of a container within its sandbox. */
export interface ContainerMetadata {
  /** Name in the pod. */
  name: string;
  /** Number of times it was created before; starts at 0. */
  attempt: number;
}

/** A device of the host inside a container. */
export interface Device {
  /** Path in the container. */
  containerPath?: string;
  /** Path on the host. */
  hostPath?: string;
  /** Any of r (read), w (write), m (make nodes). */
  permissions?: string;
}

/** A device by the name of the Container Device Interface: `vendor.com/class=name`. */
export interface CDIDevice {
  name?: string;
}

/** Configuration of a container to create. */
export interface ContainerConfig {
  metadata?: ContainerMetadata;
  image?: ImageSpec;
  /** Replaces the image's entrypoint. */
  command?: string[];
  /** Replaces the image's command. */
  args?: string[];
  /** Empty: the image's. */
  workingDir?: string;
  envs?: KeyValue[];
  mounts?: Mount[];
  devices?: Device[];
  /** Identify the container; returned unchanged in lists and statuses. */
  labels?: Record<string, string>;
  /** Returned unchanged in lists and statuses. */
  annotations?: Record<string, string>;
  /** File for its output below the sandbox's `logDirectory`: `NAME/ATTEMPT.log`. The format is the CRI's. */
  logPath?: string;
  /** Whether standard input stays open, for attach. */
  stdin?: boolean;
  /** Whether standard input closes when the first attached client leaves. */
  stdinOnce?: boolean;
  /** Whether the process has a terminal, and so no separate stderr. */
  tty?: boolean;
  linux?: LinuxContainerConfig;
  windows?: WindowsContainerConfig;
  /** Devices for the runtime to inject by their CDI specification. */
  cdiDevices?: CDIDevice[];
  /** Stop signal of the container. RUNTIME_DEFAULT: the image's, else SIGTERM. */
  stopSignal?: Signal;
}

/** Request of `RuntimeService.createContainer`. */
export interface CreateContainerRequest {
  podSandboxId?: string;
  config?: ContainerConfig;
  /** The configuration that was sent in RunPodSandbox. */
  sandboxConfig?: PodSandboxConfig;
}

/** Response of `RuntimeService.createContainer`. */
export interface CreateContainerResponse {
  containerId: string;
}

/** Request of `RuntimeService.startContainer`. */
export interface StartContainerRequest {
  containerId?: string;
}

/** Response of `RuntimeService.startContainer`. */
export type StartContainerResponse = Record<string, never>;

/** Request of `RuntimeService.stopContainer`. */
export interface StopContainerRequest {
  containerId?: string;
  /** Grace period in seconds; 0 kills at once. */
  timeout?: bigint;
}

/** Response of `RuntimeService.stopContainer`. */
export type StopContainerResponse = Record<string, never>;

/** Request of `RuntimeService.removeContainer`. */
export interface RemoveContainerRequest {
  containerId?: string;
}

/** Response of `RuntimeService.removeContainer`. */
export type RemoveContainerResponse = Record<string, never>;

/** A state to filter by; a message, because the zero value is a state too. */
export interface ContainerStateValue {
  state?: ContainerState;
}

/** Fields are joined by "and"; an empty filter matches all. */
export interface ContainerFilter {
  id?: string;
  state?: ContainerStateValue;
  podSandboxId?: string;
  /** Labels that must all be present with these values. */
  labelSelector?: Record<string, string>;
}

/** Request of `RuntimeService.listContainers`. */
export interface ListContainersRequest {
  filter?: ContainerFilter;
}

/** List entry of a container. */
export interface Container {
  id: string;
  podSandboxId: string;
  metadata?: ContainerMetadata;
  /** As in the container's configuration. */
  image?: ImageSpec;
  /** Reference to the image in use: a digest, or an id. */
  imageRef: string;
  state: ContainerState;
  /** Nanoseconds since 1970. */
  createdAt: bigint;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  /** The image's id on this node. */
  imageId: string;
}

/** Response of `RuntimeService.listContainers`. */
export interface ListContainersResponse {
  containers: Container[];
}

/** Request of `RuntimeService.streamContainers`. */
export interface StreamContainersRequest {
  filter?: ContainerFilter;
}

/** One message of the response stream of `RuntimeService.streamContainers`. */
export interface StreamContainersResponse {
  containers: Container[];
}

/** Request of `RuntimeService.containerStatus`. */
export interface ContainerStatusRequest {
  containerId?: string;
  /** Whether to fill `info`. */
  verbose?: boolean;
}

/** Full status of a container. */
export interface ContainerStatus {
  id: string;
  metadata?: ContainerMetadata;
  state: ContainerState;
  /** Nanoseconds since 1970. */
  createdAt: bigint;
  /** Nanoseconds since 1970; 0 before. */
  startedAt: bigint;
  /** Nanoseconds since 1970; 0 before. */
  finishedAt: bigint;
  /** Only valid for an exited container. */
  exitCode: number;
  image?: ImageSpec;
  /** Reference to the image in use: a digest, or an id. */
  imageRef: string;
  /** Reason of the state in one word: Completed, Error, OOMKilled. */
  reason: string;
  /** Human-readable message. */
  message: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  mounts: Mount[];
  /** Absolute path of its log. */
  logPath: string;
  /** Limits in effect. */
  resources?: ContainerResources;
  /** The image's id on this node. */
  imageId: string;
  /** User of the first process. */
  user?: ContainerUser;
  /** Stop signal. */
  stopSignal: Signal;
}

/** Response of `RuntimeService.containerStatus`. */
export interface ContainerStatusResponse {
  status?: ContainerStatus;
  /** Debug information in the runtime's format; only if verbose. */
  info: Record<string, string>;
}

/** Limits in effect, for the node's operating system. */
export interface ContainerResources {
  linux?: LinuxContainerResources;
  windows?: WindowsContainerResources;
}

/** User of a container's first process. */
export interface ContainerUser {
  linux?: LinuxContainerUser;
}

/** Request of `RuntimeService.updateContainerResources`. */
export interface UpdateContainerResourcesRequest {
  containerId?: string;
  linux?: LinuxContainerResources;
  windows?: WindowsContainerResources;
  /** For the runtime and its plugins; not the container's annotations. */
  annotations?: Record<string, string>;
}

/** Response of `RuntimeService.updateContainerResources`. */
export type UpdateContainerResourcesResponse = Record<string, never>;

/** Request of `RuntimeService.execSync`. */
export interface ExecSyncRequest {
  containerId?: string;
  cmd?: string[];
  /** Timeout in seconds, after which the command is killed; 0 for none. */
  timeout?: bigint;
}

/** Response of `RuntimeService.execSync`. */
export interface ExecSyncResponse {
  /** Up to 16 MiB; further output is dropped. */
  stdout: Uint8Array;
  /** Up to 16 MiB; further output is dropped. */
  stderr: Uint8Array;
  exitCode: number;
}

/** Request of `RuntimeService.exec`. */
export interface ExecRequest {
  containerId?: string;
  cmd?: string[];
  /** Excludes `stderr`. */
  tty?: boolean;
  /** At least one of the three streams is required. */
  stdin?: boolean;
  stdout?: boolean;
  stderr?: boolean;
}

/** Response of `RuntimeService.exec`. */
export interface ExecResponse {
  /** URL of the runtime's streaming server; valid for one client and a short time. */
  url: string;
}

/** Request of `RuntimeService.attach`. */
export interface AttachRequest {
  containerId?: string;
  /** At least one of the three streams is required. */
  stdin?: boolean;
  /** As in the container's config; excludes `stderr`. */
  tty?: boolean;
  stdout?: boolean;
  stderr?: boolean;
}

/** Response of `RuntimeService.attach`. */
export interface AttachResponse {
  /** URL of the runtime's streaming server; valid for one client and a short time. */
  url: string;
}

/** Request of `RuntimeService.portForward`. */
export interface PortForwardRequest {
  podSandboxId?: string;
  port?: number[];
}

/** Response of `RuntimeService.portForward`. */
export interface PortForwardResponse {
  /** URL of the runtime's streaming server; valid for one client and a short time. */
  url: string;
}

/** An empty filter matches all. */
export interface ImageFilter {
  image?: ImageSpec;
}

/** Request of `ImageService.listImages`. */
export interface ListImagesRequest {
  filter?: ImageFilter;
}

/** An image on the node. */
export interface Image {
  id: string;
  /** Names with tags. */
  repoTags: string[];
  /** Names with digests. */
  repoDigests: string[];
  /** In bytes, as stored; depends on the runtime whether compressed. */
  size: bigint;
  /** Default user of its containers, if the image sets a number. */
  uid?: Int64Value;
  /** Default user of its containers, if the image sets a name. */
  username: string;
  spec?: ImageSpec;
  /** Whether it is pinned: image garbage collection does not remove it. */
  pinned: boolean;
}

/** Response of `ImageService.listImages`. */
export interface ListImagesResponse {
  images: Image[];
}

/** Request of `ImageService.streamImages`. */
export interface StreamImagesRequest {
  filter?: ImageFilter;
}

/** One message of the response stream of `ImageService.streamImages`. */
export interface StreamImagesResponse {
  images: Image[];
}

/** Request of `ImageService.imageStatus`. */
export interface ImageStatusRequest {
  image?: ImageSpec;
  /** Whether to fill `info`. */
  verbose?: boolean;
}

/** Response of `ImageService.imageStatus`. */
export interface ImageStatusResponse {
  /** Absent if it is not on the node. */
  image?: Image;
  /** Debug information in the runtime's format; only if verbose. */
  info: Record<string, string>;
}

/** Credentials for a registry. Must not be logged. */
export interface AuthConfig {
  username?: string;
  password?: string;
  /** user:password in base64. */
  auth?: string;
  serverAddress?: string;
  /** For requesting an access token from the registry. */
  identityToken?: string;
  /** Bearer token for the registry. */
  registryToken?: string;
}

/** Request of `ImageService.pullImage`. */
export interface PullImageRequest {
  image?: ImageSpec;
  /** Absent: anonymous, or with the runtime's own credentials. */
  auth?: AuthConfig;
  /** The pod that needs the image. */
  sandboxConfig?: PodSandboxConfig;
}

/** Response of `ImageService.pullImage`. */
export interface PullImageResponse {
  /** Reference to the pulled image: a digest, or an id. */
  imageRef: string;
}

/** Request of `ImageService.removeImage`. */
export interface RemoveImageRequest {
  image?: ImageSpec;
}

/** Response of `ImageService.removeImage`. */
export type RemoveImageResponse = Record<string, never>;

/** The node's configuration of the pod network. */
export interface NetworkConfig {
  /** Range for the IPs of the node's pods; empty: unknown. */
  podCidr?: string;
}

/** Settings that the kubelet sends to the runtime. */
export interface RuntimeConfig {
  networkConfig?: NetworkConfig;
}

/** Request of `RuntimeService.updateRuntimeConfig`. */
export interface UpdateRuntimeConfigRequest {
  runtimeConfig?: RuntimeConfig;
}

/** Response of `RuntimeService.updateRuntimeConfig`. */
export type UpdateRuntimeConfigResponse = Record<string, never>;

/** RuntimeReady (can run pods without a network), NetworkReady, or a runtime-specific type. */
export interface RuntimeCondition {
  type: string;
  status: boolean;
  /** Reason in one word, if false. */
  reason: string;
  /** Human-readable message. */
  message: string;
}

/** Conditions of the runtime. */
export interface RuntimeStatus {
  /** At least RuntimeReady and NetworkReady. */
  conditions: RuntimeCondition[];
}

/** Request of `RuntimeService.status`. */
export interface StatusRequest {
  /** Whether to fill `info`. */
  verbose?: boolean;
}

/** Features of a handler. */
export interface RuntimeHandlerFeatures {
  /** Supports `Mount.recursiveReadOnly`. */
  recursiveReadOnlyMounts: boolean;
  /** Supports pods with a user namespace. */
  userNamespaces: boolean;
}

/** A runtime handler, as named in a RuntimeClass. */
export interface RuntimeHandler {
  /** As in RuntimeClass; the default handler also appears with an empty name. */
  name: string;
  features?: RuntimeHandlerFeatures;
}

/** Features of the runtime for all handlers. */
export interface RuntimeFeatures {
  /** Supports the policy and reports `ContainerStatus.user`. */
  supplementalGroupsPolicy: boolean;
  /** Supports pods with a user namespace and the host network. */
  userNamespacesHostNetwork: boolean;
}

/** Response of `RuntimeService.status`. */
export interface StatusResponse {
  status?: RuntimeStatus;
  /** Debug information in the runtime's format; only if verbose. */
  info: Record<string, string>;
  /** Empty if the runtime does not support the field. */
  runtimeHandlers: RuntimeHandler[];
  features?: RuntimeFeatures;
}

/** Request of `ImageService.imageFsInfo`. */
export type ImageFsInfoRequest = Record<string, never>;

/** An optional number, where zero is a valid value. */
export interface UInt64Value {
  value: bigint;
}

/** Identifies a file system. */
export interface FilesystemIdentifier {
  /** Mount point of the file system. */
  mountpoint: string;
}

/** Usage of a file system. */
export interface FilesystemUsage {
  /** Time of the measurement, in nanoseconds since 1970. */
  timestamp: bigint;
  fsId?: FilesystemIdentifier;
  /** Only of images or of writable layers, not of the whole file system. */
  usedBytes?: UInt64Value;
  /** Only of images or of writable layers, not of the whole file system. */
  inodesUsed?: UInt64Value;
}

/** Usage of a file system on Windows. */
export interface WindowsFilesystemUsage {
  /** Time of the measurement, in nanoseconds since 1970. */
  timestamp: bigint;
  fsId?: FilesystemIdentifier;
  usedBytes?: UInt64Value;
}

/** Response of `ImageService.imageFsInfo`. */
export interface ImageFsInfoResponse {
  /** File systems of read-only layers. */
  imageFilesystems: FilesystemUsage[];
  /** File systems of writable layers; the same if the runtime does not separate them. */
  containerFilesystems: FilesystemUsage[];
}

/** Request of `RuntimeService.containerStats`. */
export interface ContainerStatsRequest {
  containerId?: string;
}

/** Response of `RuntimeService.containerStats`. */
export interface ContainerStatsResponse {
  stats?: ContainerStats;
}

/** Request of `RuntimeService.listContainerStats`. */
export interface ListContainerStatsRequest {
  filter?: ContainerStatsFilter;
}

/** Fields are joined by "and"; an empty filter matches all. */
export interface ContainerStatsFilter {
  id?: string;
  podSandboxId?: string;
  /** Labels that must all be present with these values. */
  labelSelector?: Record<string, string>;
}

/** Response of `RuntimeService.listContainerStats`. */
export interface ListContainerStatsResponse {
  stats: ContainerStats[];
}

/** Request of `RuntimeService.streamContainerStats`. */
export interface StreamContainerStatsRequest {
  filter?: ContainerStatsFilter;
}

/** One message of the response stream of `RuntimeService.streamContainerStats`. */
export interface StreamContainerStatsResponse {
  containerStats: ContainerStats[];
}

/** Identity of the object that the stats belong to. */
export interface ContainerAttributes {
  id: string;
  metadata?: ContainerMetadata;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

/** Resource usage of a container. */
export interface ContainerStats {
  attributes?: ContainerAttributes;
  cpu?: CpuUsage;
  memory?: MemoryUsage;
  /** Usage of the container's writable layer. */
  writableLayer?: FilesystemUsage;
  swap?: SwapUsage;
  io?: IoUsage;
}

/** Resource usage of a container on Windows. */
export interface WindowsContainerStats {
  attributes?: ContainerAttributes;
  cpu?: WindowsCpuUsage;
  memory?: WindowsMemoryUsage;
  writableLayer?: WindowsFilesystemUsage;
}

/** Pressure stall information of the kernel for cgroup v2. */
export interface PsiStats {
  /** Time in which all tasks were stalled. */
  full?: PsiData;
  /** Time in which at least one task was stalled. */
  some?: PsiData;
}

/** How long tasks were stalled on a resource. */
export interface PsiData {
  /** Microseconds since the creation of the cgroup. */
  total: bigint;
  /** Percent of the last 10 seconds. */
  avg10: number;
  /** Percent of the last 60 seconds. */
  avg60: number;
  /** Percent of the last 300 seconds. */
  avg300: number;
}

/** CPU time of a container or sandbox. */
export interface CpuUsage {
  /** Time of the measurement, in nanoseconds since 1970. */
  timestamp: bigint;
  /** CPU time since creation, over all cores, in nanoseconds. */
  usageCoreNanoSeconds?: UInt64Value;
  /** Usage over a sample window, in nanocores. */
  usageNanoCores?: UInt64Value;
  psi?: PsiStats;
}

/** CPU time of a container or sandbox on Windows. */
export interface WindowsCpuUsage {
  /** Time of the measurement, in nanoseconds since 1970. */
  timestamp: bigint;
  /** CPU time since creation, over all cores, in nanoseconds. */
  usageCoreNanoSeconds?: UInt64Value;
  /** Usage over a sample window, in nanocores. */
  usageNanoCores?: UInt64Value;
}

/** Memory of a container or sandbox, in bytes. */
export interface MemoryUsage {
  /** Time of the measurement, in nanoseconds since 1970. */
  timestamp: bigint;
  /** Working set: usage without inactive file pages. Eviction uses this value. */
  workingSetBytes?: UInt64Value;
  /** Limit minus working set; absent without a limit. */
  availableBytes?: UInt64Value;
  /** Total usage, including caches. */
  usageBytes?: UInt64Value;
  /** Anonymous memory, with swap cache and transparent huge pages. */
  rssBytes?: UInt64Value;
  /** Number of minor page faults since creation. */
  pageFaults?: UInt64Value;
  /** Count since creation. */
  majorPageFaults?: UInt64Value;
  psi?: PsiStats;
}

/** I/O of a container or sandbox. */
export interface IoUsage {
  /** Time of the measurement, in nanoseconds since 1970. */
  timestamp: bigint;
  psi?: PsiStats;
}

/** Swap of a container. */
export interface SwapUsage {
  /** Time of the measurement, in nanoseconds since 1970. */
  timestamp: bigint;
  /** Limit minus usage. */
  swapAvailableBytes?: UInt64Value;
  swapUsageBytes?: UInt64Value;
}

/** Memory of a container or sandbox on Windows. */
export interface WindowsMemoryUsage {
  /** Time of the measurement, in nanoseconds since 1970. */
  timestamp: bigint;
  /** Private working set. */
  workingSetBytes?: UInt64Value;
  availableBytes?: UInt64Value;
  pageFaults?: UInt64Value;
  /** Committed, whether in memory or in the page file. */
  commitMemoryBytes?: UInt64Value;
}

/** Request of `RuntimeService.reopenContainerLog`. */
export interface ReopenContainerLogRequest {
  containerId?: string;
}

/** Response of `RuntimeService.reopenContainerLog`. */
export type ReopenContainerLogResponse = Record<string, never>;

/** Request of `RuntimeService.checkpointContainer`. */
export interface CheckpointContainerRequest {
  containerId?: string;
  /** Absolute path of the archive to write. */
  location?: string;
  /** Seconds; 0 for the runtime's default. */
  timeout?: bigint;
}

/** Response of `RuntimeService.checkpointContainer`. */
export type CheckpointContainerResponse = Record<string, never>;

/** Request of `RuntimeService.getContainerEvents`. */
export type GetEventsRequest = Record<string, never>;

/** An event of a container or sandbox. */
export interface ContainerEventResponse {
  /** The container's id, or the sandbox's for an event of the sandbox. */
  containerId: string;
  containerEventType: ContainerEventType;
  /** Time of the event, in nanoseconds since 1970. */
  createdAt: bigint;
  /** The sandbox's status after the event. */
  podSandboxStatus?: PodSandboxStatus;
  /** The statuses of the sandbox's containers after the event. */
  containersStatuses: ContainerStatus[];
}

/** Request of `RuntimeService.listMetricDescriptors`. */
export type ListMetricDescriptorsRequest = Record<string, never>;

/** Response of `RuntimeService.listMetricDescriptors`. */
export interface ListMetricDescriptorsResponse {
  descriptors: MetricDescriptor[];
}

/** Name and help text of a metric. */
export interface MetricDescriptor {
  /** Unique among the descriptors. */
  name: string;
  help: string;
  /** In the order of `Metric.labelValues`. */
  labelKeys: string[];
}

/** Request of `RuntimeService.listPodSandboxMetrics`. */
export type ListPodSandboxMetricsRequest = Record<string, never>;

/** Response of `RuntimeService.listPodSandboxMetrics`. */
export interface ListPodSandboxMetricsResponse {
  podMetrics: PodSandboxMetrics[];
}

/** Request of `RuntimeService.streamPodSandboxMetrics`. */
export type StreamPodSandboxMetricsRequest = Record<string, never>;

/** One message of the response stream of `RuntimeService.streamPodSandboxMetrics`. */
export interface StreamPodSandboxMetricsResponse {
  podSandboxMetrics: PodSandboxMetrics[];
}

/** Metrics of a sandbox and of each of its containers. */
export interface PodSandboxMetrics {
  podSandboxId: string;
  /** Of the whole sandbox. */
  metrics: Metric[];
  containerMetrics: ContainerMetrics[];
}

/** Metrics of a container. */
export interface ContainerMetrics {
  containerId: string;
  metrics: Metric[];
}

/** One value of a metric. */
export interface Metric {
  name: string;
  /** Time of the measurement, in nanoseconds since 1970; 0: the metric is not cached, use the time of the response. */
  timestamp: bigint;
  metricType: MetricType;
  /** In the order of the descriptor's `labelKeys`. */
  labelValues: string[];
  value?: UInt64Value;
}

/** Request of `RuntimeService.runtimeConfig`. */
export type RuntimeConfigRequest = Record<string, never>;

/** Response of `RuntimeService.runtimeConfig`. */
export interface RuntimeConfigResponse {
  linux?: LinuxRuntimeConfiguration;
}

/** Settings of a runtime on Linux. */
export interface LinuxRuntimeConfiguration {
  cgroupDriver: CgroupDriver;
}

/** Request of `RuntimeService.updatePodSandboxResources`. */
export interface UpdatePodSandboxResourcesRequest {
  podSandboxId?: string;
  /** The pod's overhead, as resources. */
  overhead?: LinuxContainerResources;
  /** Sum of the resources of the pod's containers, without overhead. */
  resources?: LinuxContainerResources;
}

/** Response of `RuntimeService.updatePodSandboxResources`. */
export type UpdatePodSandboxResourcesResponse = Record<string, never>;
