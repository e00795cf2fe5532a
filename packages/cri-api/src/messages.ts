// Generated from packages/cri-client/proto/runtime.v1.proto. Do not edit.

/** Transport of a published port. */
export type Protocol =
  | 'TCP'
  | 'UDP'
  | 'SCTP';

/** Whether mounts made below a mount are seen on the other side: not at all, the host's in the container (rslave), or both ways (rshared). */
export type MountPropagation =
  | 'PROPAGATION_PRIVATE'
  | 'PROPAGATION_HOST_TO_CONTAINER'
  | 'PROPAGATION_BIDIRECTIONAL';

/** Whose namespace a container is in: the pod's, its own, the node's, or that of another container. */
export type NamespaceMode =
  | 'POD'
  | 'CONTAINER'
  | 'NODE'
  | 'TARGET';

/** Merge: the groups that the image gives the user as well. Strict: only those that the pod names. */
export type SupplementalGroupsPolicy =
  | 'Merge'
  | 'Strict';

/** Where a profile comes from: the runtime's default, nowhere (unconfined), or the node. */
export type ProfileType =
  | 'RuntimeDefault'
  | 'Unconfined'
  | 'Localhost';

/** Whether a sandbox is alive. Not ready: stopped, or broken, so that the pod needs a new one. */
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

/** Where in its life a container is. Unknown: the runtime has lost track. */
export type ContainerState =
  | 'CONTAINER_CREATED'
  | 'CONTAINER_RUNNING'
  | 'CONTAINER_EXITED'
  | 'CONTAINER_UNKNOWN';

/** What happened to a container. A restart is a new container. */
export type ContainerEventType =
  | 'CONTAINER_CREATED_EVENT'
  | 'CONTAINER_STARTED_EVENT'
  | 'CONTAINER_STOPPED_EVENT'
  | 'CONTAINER_DELETED_EVENT';

/** A counter only grows; a gauge goes up and down. */
export type MetricType =
  | 'COUNTER'
  | 'GAUGE';

/** Who makes cgroups: systemd, as slices and scopes, or each program through cgroupfs. */
export type CgroupDriver =
  | 'SYSTEMD'
  | 'CGROUPFS';

/** Request of `RuntimeService.version`. */
export interface VersionRequest {
  /** Version of the kubelet's runtime API: 0.1.0. */
  version?: string;
}

/** Answer of `RuntimeService.version`. */
export interface VersionResponse {
  /** Version of the kubelet's runtime API: 0.1.0. */
  version: string;
  /** containerd, cri-o, ... */
  runtimeName: string;
  /** In the runtime's own form. */
  runtimeVersion: string;
  /** Version of the CRI: v1. */
  runtimeApiVersion: string;
}

/** What goes into a sandbox's resolv.conf. */
export interface DNSConfig {
  /** IP addresses of name servers. */
  servers?: string[];
  /** Search domains. */
  searches?: string[];
  /** As in resolv.conf: `ndots:5`. */
  options?: string[];
}

/** A port of the sandbox that the node publishes. */
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
  /** Absolute path on the host; the runtime makes a missing one a folder. Symbolic links are followed when the container is created. */
  hostPath?: string;
  readonly?: boolean;
  /** Whether the runtime gives the content the container's SELinux label. */
  selinuxRelabel?: boolean;
  propagation?: MountPropagation;
  /** For an idmapped mount: user ids of the container and of the host. */
  uidMappings?: IDMapping[];
  /** For an idmapped mount: group ids of the container and of the host. */
  gidMappings?: IDMapping[];
  /** Read-only including mounts below it. Requires `readonly`, private propagation and a runtime handler that can. */
  recursiveReadOnly?: boolean;
  /** Mounts the content of this image (read-only) instead of a path of the host; the image must be present. */
  image?: ImageSpec;
  /** Folder in the image, where not all of it is to be mounted. */
  imageSubPath?: string;
}

/** A range of ids in a user namespace and where it begins on the host. */
export interface IDMapping {
  /** First id on the host. */
  hostId: number;
  /** First id in the container. */
  containerId: number;
  /** How many ids. */
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

/** A number that can be absent, where zero means something. */
export interface Int64Value {
  value: bigint;
}

/** How the sandbox itself is confined. Containers have a context of their own. */
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
  /** Whether the sandbox may hold privileged containers. */
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

/** What a sandbox is on Linux. */
export interface LinuxPodSandboxConfig {
  /** Parent cgroup of the sandbox: a path for the cgroupfs driver, a slice's name for systemd. */
  cgroupParent?: string;
  securityContext?: LinuxSandboxSecurityContext;
  /** Kernel parameters to set in the sandbox. */
  sysctls?: Record<string, string>;
  /** The pod's overhead by its RuntimeClass, as resources. */
  overhead?: LinuxContainerResources;
  /** Sum of the resources of the pod's containers, without overhead. */
  resources?: LinuxContainerResources;
}

/** Who a sandbox is: together unique on a node. */
export interface PodSandboxMetadata {
  /** Name of the pod. */
  name: string;
  /** Uid of the pod. */
  uid: string;
  /** Namespace of the pod. */
  namespace: string;
  /** How often the sandbox was created before; counts from 0. */
  attempt: number;
}

/** A sandbox to be created. */
export interface PodSandboxConfig {
  metadata?: PodSandboxMetadata;
  /** Not set for pods in the node's network. */
  hostname?: string;
  /** Folder for the logs of the containers: /var/log/pods/NAMESPACE_NAME_UID. `ContainerConfig.logPath` is below it. */
  logDirectory?: string;
  /** Absent: the node's own resolv.conf. */
  dnsConfig?: DNSConfig;
  portMappings?: PortMapping[];
  /** For finding the sandbox again; answered in lists and statuses as they were given. */
  labels?: Record<string, string>;
  /** Unchanged by the runtime, answered in lists and statuses as they were given. */
  annotations?: Record<string, string>;
  linux?: LinuxPodSandboxConfig;
  windows?: WindowsPodSandboxConfig;
}

/** Request of `RuntimeService.runPodSandbox`. */
export interface RunPodSandboxRequest {
  config?: PodSandboxConfig;
  /** Handler of the RuntimeClass; empty is the default one. An unknown one is an error. */
  runtimeHandler?: string;
}

/** Answer of `RuntimeService.runPodSandbox`. */
export interface RunPodSandboxResponse {
  podSandboxId: string;
}

/** Request of `RuntimeService.stopPodSandbox`. */
export interface StopPodSandboxRequest {
  podSandboxId?: string;
}

/** Answer of `RuntimeService.stopPodSandbox`. */
export type StopPodSandboxResponse = Record<string, never>;

/** Request of `RuntimeService.removePodSandbox`. */
export interface RemovePodSandboxRequest {
  podSandboxId?: string;
}

/** Answer of `RuntimeService.removePodSandbox`. */
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
  /** The pod's first IP; empty in the node's network. */
  ip: string;
  /** The other IPs, of a dual-stack pod. */
  additionalIps: PodIP[];
}

/** Namespaces of a sandbox. */
export interface Namespace {
  options?: NamespaceOption;
}

/** What only a sandbox on Linux has. */
export interface LinuxPodSandboxStatus {
  /** Namespaces of the sandbox. */
  namespaces?: Namespace;
}

/** A sandbox in full. */
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
  /** Handler that it was created with. */
  runtimeHandler: string;
}

/** Answer of `RuntimeService.podSandboxStatus`. */
export interface PodSandboxStatusResponse {
  status?: PodSandboxStatus;
  /** Facts for debugging, in whatever form the runtime likes; only when verbose. */
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
  /** Labels that must all be there with these values. */
  labelSelector?: Record<string, string>;
}

/** Request of `RuntimeService.listPodSandbox`. */
export interface ListPodSandboxRequest {
  filter?: PodSandboxFilter;
}

/** A sandbox in a list. */
export interface PodSandbox {
  id: string;
  metadata?: PodSandboxMetadata;
  state: PodSandboxState;
  /** Nanoseconds since 1970. */
  createdAt: bigint;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  /** Handler that it was created with. */
  runtimeHandler: string;
}

/** Answer of `RuntimeService.listPodSandbox`. */
export interface ListPodSandboxResponse {
  items: PodSandbox[];
}

/** Request of `RuntimeService.streamPodSandboxes`. */
export interface StreamPodSandboxesRequest {
  filter?: PodSandboxFilter;
}

/** One message of the answer of `RuntimeService.streamPodSandboxes`. */
export interface StreamPodSandboxesResponse {
  podSandboxes: PodSandbox[];
}

/** Request of `RuntimeService.podSandboxStats`. */
export interface PodSandboxStatsRequest {
  podSandboxId?: string;
}

/** Answer of `RuntimeService.podSandboxStats`. */
export interface PodSandboxStatsResponse {
  stats?: PodSandboxStats;
}

/** Fields are joined by "and"; an empty filter matches all. */
export interface PodSandboxStatsFilter {
  id?: string;
  /** Labels that must all be there with these values. */
  labelSelector?: Record<string, string>;
}

/** Request of `RuntimeService.listPodSandboxStats`. */
export interface ListPodSandboxStatsRequest {
  filter?: PodSandboxStatsFilter;
}

/** Answer of `RuntimeService.listPodSandboxStats`. */
export interface ListPodSandboxStatsResponse {
  stats: PodSandboxStats[];
}

/** Request of `RuntimeService.streamPodSandboxStats`. */
export interface StreamPodSandboxStatsRequest {
  filter?: PodSandboxStatsFilter;
}

/** One message of the answer of `RuntimeService.streamPodSandboxStats`. */
export interface StreamPodSandboxStatsResponse {
  podSandboxStats: PodSandboxStats[];
}

/** Whose figures these are. */
export interface PodSandboxAttributes {
  id: string;
  metadata?: PodSandboxMetadata;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

/** Resource use of a sandbox: of the pod as a whole, its containers included. */
export interface PodSandboxStats {
  attributes?: PodSandboxAttributes;
  linux?: LinuxPodSandboxStats;
  windows?: WindowsPodSandboxStats;
}

/** Resource use of a sandbox on Linux. */
export interface LinuxPodSandboxStats {
  cpu?: CpuUsage;
  memory?: MemoryUsage;
  network?: NetworkUsage;
  process?: ProcessUsage;
  /** Each container on its own. */
  containers: ContainerStats[];
  io?: IoUsage;
}

/** Resource use of a sandbox on Windows. */
export interface WindowsPodSandboxStats {
  cpu?: WindowsCpuUsage;
  memory?: WindowsMemoryUsage;
  network?: WindowsNetworkUsage;
  process?: WindowsProcessUsage;
  containers: WindowsContainerStats[];
}

/** Traffic of a sandbox. */
export interface NetworkUsage {
  /** When it was measured, in nanoseconds since 1970. */
  timestamp: bigint;
  /** The one with the default route. */
  defaultInterface?: NetworkInterfaceUsage;
  /** All others. */
  interfaces: NetworkInterfaceUsage[];
}

/** Traffic of a sandbox on Windows. */
export interface WindowsNetworkUsage {
  /** When it was measured, in nanoseconds since 1970. */
  timestamp: bigint;
  defaultInterface?: WindowsNetworkInterfaceUsage;
  interfaces: WindowsNetworkInterfaceUsage[];
}

/** Counts since the interface came up. */
export interface NetworkInterfaceUsage {
  name: string;
  rxBytes?: UInt64Value;
  rxErrors?: UInt64Value;
  txBytes?: UInt64Value;
  txErrors?: UInt64Value;
}

/** Counts since the interface came up. */
export interface WindowsNetworkInterfaceUsage {
  name: string;
  rxBytes?: UInt64Value;
  rxPacketsDropped?: UInt64Value;
  txBytes?: UInt64Value;
  txPacketsDropped?: UInt64Value;
}

/** Processes of a sandbox. */
export interface ProcessUsage {
  /** When it was measured, in nanoseconds since 1970. */
  timestamp: bigint;
  processCount?: UInt64Value;
}

/** Processes of a sandbox on Windows. */
export interface WindowsProcessUsage {
  /** When it was measured, in nanoseconds since 1970. */
  timestamp: bigint;
  processCount?: UInt64Value;
}

/** Which image is meant. */
export interface ImageSpec {
  /** Reference by name (registry/name:tag or @digest), or an image's id. In a container: what the runtime resolved it to. */
  image?: string;
  /** Not about the image but for its puller; may hold the runtime handler. */
  annotations?: Record<string, string>;
  /** As the pod's spec names it. */
  userSpecifiedImage?: string;
  /** For which runtime handler the image is pulled; empty is the default one. */
  runtimeHandler?: string;
  /** Digest or id that the image has on this node, where the kubelet knows it. */
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
  /** CFS quota in microseconds a period; -1 is none. */
  cpuQuota?: bigint;
  /** Relative weight, 1024 a CPU. */
  cpuShares?: bigint;
  /** Memory that the container may use, in bytes. */
  memoryLimitInBytes?: bigint;
  /** From -1000 (never killed for memory) to 1000 (first). */
  oomScoreAdj?: bigint;
  /** CPUs it may run on: `0-2,7`. */
  cpusetCpus?: string;
  /** Memory nodes it may use: `0-1`. */
  cpusetMems?: string;
  hugepageLimits?: HugepageLimit[];
  /** Further files of cgroup v2, by name: `memory.high`. */
  unified?: Record<string, string>;
  /** Memory and swap together, in bytes. */
  memorySwapLimitInBytes?: bigint;
}

/** How much memory in pages of one size may be used. */
export interface HugepageLimit {
  /** `2MB`, `1GB`: as the files of the hugetlb cgroup are called. */
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

/** Changes to the capabilities that a container has by default. `ALL` is all. */
export interface Capability {
  addCapabilities?: string[];
  dropCapabilities?: string[];
  /** Capabilities that also become ambient: kept by programs of other users than root. */
  addAmbientCapabilities?: string[];
}

/** How a container is confined. */
export interface LinuxContainerSecurityContext {
  /** Ignored when privileged. */
  capabilities?: Capability;
  /** All capabilities and devices, nothing masked, no seccomp, AppArmor or SELinux. Only in a privileged sandbox. */
  privileged?: boolean;
  namespaceOptions?: NamespaceOption;
  selinuxOptions?: SELinuxOption;
  /** User id; excludes `runAsUsername`. Absent: as the image says. */
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

/** What a container is on Linux. */
export interface LinuxContainerConfig {
  resources?: LinuxContainerResources;
  securityContext?: LinuxContainerSecurityContext;
}

/** The user that the first process of a container was started as. */
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

/** How a sandbox on Windows is confined. */
export interface WindowsSandboxSecurityContext {
  runAsUsername?: string;
  /** Of the group managed service account, as JSON. */
  credentialSpec?: string;
  /** Whether the pod's containers are processes of the host. */
  hostProcess?: boolean;
  namespaceOptions?: WindowsNamespaceOption;
}

/** What a sandbox is on Windows. */
export interface WindowsPodSandboxConfig {
  securityContext?: WindowsSandboxSecurityContext;
}

/** How a container on Windows is confined. */
export interface WindowsContainerSecurityContext {
  /** User by name, in the container or as DOMAIN\\user. */
  runAsUsername?: string;
  /** Of the group managed service account, as JSON. */
  credentialSpec?: string;
  /** Whether the container is a process of the host. */
  hostProcess?: boolean;
}

/** What a container is on Windows. */
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
  /** CPUs it may run on. */
  affinityCpus?: WindowsCpuGroupAffinity[];
}

/** CPUs of one processor group, as a bit mask. */
export interface WindowsCpuGroupAffinity {
  cpuMask?: bigint;
  cpuGroup?: number;
}

/** Who a container is, within its sandbox. */
export interface ContainerMetadata {
  /** Name in the pod. */
  name: string;
  /** How often it was created before; counts from 0. */
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

/** A container to be created. */
export interface ContainerConfig {
  metadata?: ContainerMetadata;
  image?: ImageSpec;
  /** Replaces the image's entrypoint. */
  command?: string[];
  /** Replaces the image's command. */
  args?: string[];
  /** Empty: as the image says. */
  workingDir?: string;
  envs?: KeyValue[];
  mounts?: Mount[];
  devices?: Device[];
  /** For finding the container again; answered in lists and statuses as they were given. */
  labels?: Record<string, string>;
  /** Unchanged by the runtime, answered in lists and statuses as they were given. */
  annotations?: Record<string, string>;
  /** File for its output below the sandbox's `logDirectory`: `NAME/ATTEMPT.log`. The format is the CRI's. */
  logPath?: string;
  /** Whether standard input stays open, for attach. */
  stdin?: boolean;
  /** Whether standard input closes when the first attached client leaves. */
  stdinOnce?: boolean;
  /** Whether the process has a terminal; then there is no separate stderr. */
  tty?: boolean;
  linux?: LinuxContainerConfig;
  windows?: WindowsContainerConfig;
  /** Devices for the runtime to inject by their CDI specification. */
  cdiDevices?: CDIDevice[];
  /** Signal that asks the container to end. RUNTIME_DEFAULT: as the image says, else SIGTERM. */
  stopSignal?: Signal;
}

/** Request of `RuntimeService.createContainer`. */
export interface CreateContainerRequest {
  podSandboxId?: string;
  config?: ContainerConfig;
  /** As given to RunPodSandbox: for the runtime to look things up in. */
  sandboxConfig?: PodSandboxConfig;
}

/** Answer of `RuntimeService.createContainer`. */
export interface CreateContainerResponse {
  containerId: string;
}

/** Request of `RuntimeService.startContainer`. */
export interface StartContainerRequest {
  containerId?: string;
}

/** Answer of `RuntimeService.startContainer`. */
export type StartContainerResponse = Record<string, never>;

/** Request of `RuntimeService.stopContainer`. */
export interface StopContainerRequest {
  containerId?: string;
  /** Grace period in seconds; 0 kills at once. */
  timeout?: bigint;
}

/** Answer of `RuntimeService.stopContainer`. */
export type StopContainerResponse = Record<string, never>;

/** Request of `RuntimeService.removeContainer`. */
export interface RemoveContainerRequest {
  containerId?: string;
}

/** Answer of `RuntimeService.removeContainer`. */
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
  /** Labels that must all be there with these values. */
  labelSelector?: Record<string, string>;
}

/** Request of `RuntimeService.listContainers`. */
export interface ListContainersRequest {
  filter?: ContainerFilter;
}

/** A container in a list. */
export interface Container {
  id: string;
  podSandboxId: string;
  metadata?: ContainerMetadata;
  /** As it was given at creation. */
  image?: ImageSpec;
  /** Reference to what runs: a digest, or an id. */
  imageRef: string;
  state: ContainerState;
  /** Nanoseconds since 1970. */
  createdAt: bigint;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  /** The image's id on this node. */
  imageId: string;
}

/** Answer of `RuntimeService.listContainers`. */
export interface ListContainersResponse {
  containers: Container[];
}

/** Request of `RuntimeService.streamContainers`. */
export interface StreamContainersRequest {
  filter?: ContainerFilter;
}

/** One message of the answer of `RuntimeService.streamContainers`. */
export interface StreamContainersResponse {
  containers: Container[];
}

/** Request of `RuntimeService.containerStatus`. */
export interface ContainerStatusRequest {
  containerId?: string;
  /** Whether to fill `info`. */
  verbose?: boolean;
}

/** A container in full. */
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
  /** Only of an exited container; 0 does not mean that it has ended. */
  exitCode: number;
  image?: ImageSpec;
  /** Reference to what runs: a digest, or an id. */
  imageRef: string;
  /** One word why it is in this state: Completed, Error, OOMKilled. */
  reason: string;
  /** The same for people. */
  message: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  mounts: Mount[];
  /** Absolute path of its log. */
  logPath: string;
  /** Limits as they are in force. */
  resources?: ContainerResources;
  /** The image's id on this node. */
  imageId: string;
  /** Whom the first process was started as. */
  user?: ContainerUser;
  /** Signal that asks it to end. */
  stopSignal: Signal;
}

/** Answer of `RuntimeService.containerStatus`. */
export interface ContainerStatusResponse {
  status?: ContainerStatus;
  /** Facts for debugging, in whatever form the runtime likes; only when verbose. */
  info: Record<string, string>;
}

/** Limits in force, of whichever system the node runs. */
export interface ContainerResources {
  linux?: LinuxContainerResources;
  windows?: WindowsContainerResources;
}

/** Whom the first process of a container was started as. */
export interface ContainerUser {
  linux?: LinuxContainerUser;
}

/** Request of `RuntimeService.updateContainerResources`. */
export interface UpdateContainerResourcesRequest {
  containerId?: string;
  linux?: LinuxContainerResources;
  windows?: WindowsContainerResources;
  /** For the runtime and its plugins; not those of the container. */
  annotations?: Record<string, string>;
}

/** Answer of `RuntimeService.updateContainerResources`. */
export type UpdateContainerResourcesResponse = Record<string, never>;

/** Request of `RuntimeService.execSync`. */
export interface ExecSyncRequest {
  containerId?: string;
  cmd?: string[];
  /** Seconds after which the command is killed; 0 is never. */
  timeout?: bigint;
}

/** Answer of `RuntimeService.execSync`. */
export interface ExecSyncResponse {
  /** Up to 16 MiB; what is beyond is dropped. */
  stdout: Uint8Array;
  /** Up to 16 MiB; what is beyond is dropped. */
  stderr: Uint8Array;
  exitCode: number;
}

/** Request of `RuntimeService.exec`. */
export interface ExecRequest {
  containerId?: string;
  cmd?: string[];
  /** Excludes `stderr`. */
  tty?: boolean;
  /** At least one of the three streams is needed. */
  stdin?: boolean;
  stdout?: boolean;
  stderr?: boolean;
}

/** Answer of `RuntimeService.exec`. */
export interface ExecResponse {
  /** Where the streaming server of the runtime waits for a client, once and for a short while. */
  url: string;
}

/** Request of `RuntimeService.attach`. */
export interface AttachRequest {
  containerId?: string;
  /** At least one of the three streams is needed. */
  stdin?: boolean;
  /** As in the container's config; excludes `stderr`. */
  tty?: boolean;
  stdout?: boolean;
  stderr?: boolean;
}

/** Answer of `RuntimeService.attach`. */
export interface AttachResponse {
  /** Where the streaming server of the runtime waits for a client, once and for a short while. */
  url: string;
}

/** Request of `RuntimeService.portForward`. */
export interface PortForwardRequest {
  podSandboxId?: string;
  port?: number[];
}

/** Answer of `RuntimeService.portForward`. */
export interface PortForwardResponse {
  /** Where the streaming server of the runtime waits for a client, once and for a short while. */
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
  /** In bytes, as stored (compressed or not is the runtime's choice). */
  size: bigint;
  /** User that its containers run as, where the image names a number. */
  uid?: Int64Value;
  /** User that its containers run as, where the image names a name. */
  username: string;
  spec?: ImageSpec;
  /** Whether it must stay: image garbage collection leaves it alone. */
  pinned: boolean;
}

/** Answer of `ImageService.listImages`. */
export interface ListImagesResponse {
  images: Image[];
}

/** Request of `ImageService.streamImages`. */
export interface StreamImagesRequest {
  filter?: ImageFilter;
}

/** One message of the answer of `ImageService.streamImages`. */
export interface StreamImagesResponse {
  images: Image[];
}

/** Request of `ImageService.imageStatus`. */
export interface ImageStatusRequest {
  image?: ImageSpec;
  /** Whether to fill `info`. */
  verbose?: boolean;
}

/** Answer of `ImageService.imageStatus`. */
export interface ImageStatusResponse {
  /** Absent when it is not on the node. */
  image?: Image;
  /** Facts for debugging, in whatever form the runtime likes; only when verbose. */
  info: Record<string, string>;
}

/** Credentials for a registry. Never to be logged. */
export interface AuthConfig {
  username?: string;
  password?: string;
  /** user:password in base64. */
  auth?: string;
  serverAddress?: string;
  /** For getting an access token of the registry. */
  identityToken?: string;
  /** Bearer token for the registry. */
  registryToken?: string;
}

/** Request of `ImageService.pullImage`. */
export interface PullImageRequest {
  image?: ImageSpec;
  /** Absent: anonymously, or with what the runtime has itself. */
  auth?: AuthConfig;
  /** The pod that it is pulled for. */
  sandboxConfig?: PodSandboxConfig;
}

/** Answer of `ImageService.pullImage`. */
export interface PullImageResponse {
  /** Reference to what was pulled: a digest, or an id. */
  imageRef: string;
}

/** Request of `ImageService.removeImage`. */
export interface RemoveImageRequest {
  image?: ImageSpec;
}

/** Answer of `ImageService.removeImage`. */
export type RemoveImageResponse = Record<string, never>;

/** The node's part of the pod network. */
export interface NetworkConfig {
  /** Range for the IPs of the node's pods; empty: unknown. */
  podCidr?: string;
}

/** Settings that the kubelet gives the runtime. */
export interface RuntimeConfig {
  networkConfig?: NetworkConfig;
}

/** Request of `RuntimeService.updateRuntimeConfig`. */
export interface UpdateRuntimeConfigRequest {
  runtimeConfig?: RuntimeConfig;
}

/** Answer of `RuntimeService.updateRuntimeConfig`. */
export type UpdateRuntimeConfigResponse = Record<string, never>;

/** RuntimeReady (can run pods without a network) or NetworkReady, or one of the runtime's own. */
export interface RuntimeCondition {
  type: string;
  status: boolean;
  /** One word why, when false. */
  reason: string;
  /** The same for people. */
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

/** What a handler can do. */
export interface RuntimeHandlerFeatures {
  /** Knows `Mount.recursiveReadOnly`. */
  recursiveReadOnlyMounts: boolean;
  /** Can run pods in a user namespace. */
  userNamespaces: boolean;
}

/** A way of running pods, by the name that a RuntimeClass gives. */
export interface RuntimeHandler {
  /** As in RuntimeClass; the default handler also appears with an empty name. */
  name: string;
  features?: RuntimeHandlerFeatures;
}

/** What the runtime can do, whatever the handler. */
export interface RuntimeFeatures {
  /** Knows the policy and reports `ContainerStatus.user`. */
  supplementalGroupsPolicy: boolean;
  /** Can run pods in a user namespace and the node's network at once. */
  userNamespacesHostNetwork: boolean;
}

/** Answer of `RuntimeService.status`. */
export interface StatusResponse {
  status?: RuntimeStatus;
  /** Facts for debugging, in whatever form the runtime likes; only when verbose. */
  info: Record<string, string>;
  /** Empty from runtimes that do not know the field. */
  runtimeHandlers: RuntimeHandler[];
  features?: RuntimeFeatures;
}

/** Request of `ImageService.imageFsInfo`. */
export type ImageFsInfoRequest = Record<string, never>;

/** A number that can be absent, where zero means something. */
export interface UInt64Value {
  value: bigint;
}

/** Which file system is meant. */
export interface FilesystemIdentifier {
  /** Path at or below which the file system is mounted. */
  mountpoint: string;
}

/** Use of a file system. */
export interface FilesystemUsage {
  /** When it was measured, in nanoseconds since 1970. */
  timestamp: bigint;
  fsId?: FilesystemIdentifier;
  /** By images or by writable layers, not by all that is on the file system. */
  usedBytes?: UInt64Value;
  /** By images or by writable layers, not by all that is on the file system. */
  inodesUsed?: UInt64Value;
}

/** Use of a file system on Windows. */
export interface WindowsFilesystemUsage {
  /** When it was measured, in nanoseconds since 1970. */
  timestamp: bigint;
  fsId?: FilesystemIdentifier;
  usedBytes?: UInt64Value;
}

/** Answer of `ImageService.imageFsInfo`. */
export interface ImageFsInfoResponse {
  /** Where read-only layers are. */
  imageFilesystems: FilesystemUsage[];
  /** Where writable layers are; the same where the runtime does not separate them. */
  containerFilesystems: FilesystemUsage[];
}

/** Request of `RuntimeService.containerStats`. */
export interface ContainerStatsRequest {
  containerId?: string;
}

/** Answer of `RuntimeService.containerStats`. */
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
  /** Labels that must all be there with these values. */
  labelSelector?: Record<string, string>;
}

/** Answer of `RuntimeService.listContainerStats`. */
export interface ListContainerStatsResponse {
  stats: ContainerStats[];
}

/** Request of `RuntimeService.streamContainerStats`. */
export interface StreamContainerStatsRequest {
  filter?: ContainerStatsFilter;
}

/** One message of the answer of `RuntimeService.streamContainerStats`. */
export interface StreamContainerStatsResponse {
  containerStats: ContainerStats[];
}

/** Whose figures these are. */
export interface ContainerAttributes {
  id: string;
  metadata?: ContainerMetadata;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

/** Resource use of a container. */
export interface ContainerStats {
  attributes?: ContainerAttributes;
  cpu?: CpuUsage;
  memory?: MemoryUsage;
  /** What the container has written to its root file system. */
  writableLayer?: FilesystemUsage;
  swap?: SwapUsage;
  io?: IoUsage;
}

/** Resource use of a container on Windows. */
export interface WindowsContainerStats {
  attributes?: ContainerAttributes;
  cpu?: WindowsCpuUsage;
  memory?: WindowsMemoryUsage;
  writableLayer?: WindowsFilesystemUsage;
}

/** Pressure stall information, as the kernel gives it for cgroup v2. */
export interface PsiStats {
  /** Time in which all tasks waited at once. */
  full?: PsiData;
  /** Time in which at least one task waited. */
  some?: PsiData;
}

/** How much tasks waited for a resource. */
export interface PsiData {
  /** Microseconds since the cgroup exists. */
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
  /** When it was measured, in nanoseconds since 1970. */
  timestamp: bigint;
  /** CPU time since creation, over all cores, in nanoseconds. */
  usageCoreNanoSeconds?: UInt64Value;
  /** Use over a sample window, in billionths of a core. */
  usageNanoCores?: UInt64Value;
  psi?: PsiStats;
}

/** CPU time of a container or sandbox on Windows. */
export interface WindowsCpuUsage {
  /** When it was measured, in nanoseconds since 1970. */
  timestamp: bigint;
  /** CPU time since creation, over all cores, in nanoseconds. */
  usageCoreNanoSeconds?: UInt64Value;
  /** Use over a sample window, in billionths of a core. */
  usageNanoCores?: UInt64Value;
}

/** Memory of a container or sandbox, in bytes. */
export interface MemoryUsage {
  /** When it was measured, in nanoseconds since 1970. */
  timestamp: bigint;
  /** In use and not easily given back: usage without inactive file pages. What eviction looks at. */
  workingSetBytes?: UInt64Value;
  /** Limit less working set; absent without a limit. */
  availableBytes?: UInt64Value;
  /** All memory in use, caches included. */
  usageBytes?: UInt64Value;
  /** Anonymous memory, with swap cache and transparent huge pages. */
  rssBytes?: UInt64Value;
  /** Count of minor ones since creation. */
  pageFaults?: UInt64Value;
  /** Count since creation. */
  majorPageFaults?: UInt64Value;
  psi?: PsiStats;
}

/** I/O of a container or sandbox. */
export interface IoUsage {
  /** When it was measured, in nanoseconds since 1970. */
  timestamp: bigint;
  psi?: PsiStats;
}

/** Swap of a container. */
export interface SwapUsage {
  /** When it was measured, in nanoseconds since 1970. */
  timestamp: bigint;
  /** Limit less usage. */
  swapAvailableBytes?: UInt64Value;
  swapUsageBytes?: UInt64Value;
}

/** Memory of a container or sandbox on Windows. */
export interface WindowsMemoryUsage {
  /** When it was measured, in nanoseconds since 1970. */
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

/** Answer of `RuntimeService.reopenContainerLog`. */
export type ReopenContainerLogResponse = Record<string, never>;

/** Request of `RuntimeService.checkpointContainer`. */
export interface CheckpointContainerRequest {
  containerId?: string;
  /** Absolute path of the archive to write. */
  location?: string;
  /** Seconds; 0 is the default of the runtime. */
  timeout?: bigint;
}

/** Answer of `RuntimeService.checkpointContainer`. */
export type CheckpointContainerResponse = Record<string, never>;

/** Request of `RuntimeService.getContainerEvents`. */
export type GetEventsRequest = Record<string, never>;

/** Something happened to a container or sandbox. */
export interface ContainerEventResponse {
  /** The container's id, or the sandbox's for an event of the sandbox. */
  containerId: string;
  containerEventType: ContainerEventType;
  /** When it happened, in nanoseconds since 1970. */
  createdAt: bigint;
  /** The sandbox as it is after the event. */
  podSandboxStatus?: PodSandboxStatus;
  /** The sandbox's containers as they are after the event. */
  containersStatuses: ContainerStatus[];
}

/** Request of `RuntimeService.listMetricDescriptors`. */
export type ListMetricDescriptorsRequest = Record<string, never>;

/** Answer of `RuntimeService.listMetricDescriptors`. */
export interface ListMetricDescriptorsResponse {
  descriptors: MetricDescriptor[];
}

/** What a metric is called and means. */
export interface MetricDescriptor {
  /** Unique among the descriptors. */
  name: string;
  help: string;
  /** In the order of `Metric.labelValues`. */
  labelKeys: string[];
}

/** Request of `RuntimeService.listPodSandboxMetrics`. */
export type ListPodSandboxMetricsRequest = Record<string, never>;

/** Answer of `RuntimeService.listPodSandboxMetrics`. */
export interface ListPodSandboxMetricsResponse {
  podMetrics: PodSandboxMetrics[];
}

/** Request of `RuntimeService.streamPodSandboxMetrics`. */
export type StreamPodSandboxMetricsRequest = Record<string, never>;

/** One message of the answer of `RuntimeService.streamPodSandboxMetrics`. */
export interface StreamPodSandboxMetricsResponse {
  podSandboxMetrics: PodSandboxMetrics[];
}

/** Metrics of a sandbox and of each of its containers. */
export interface PodSandboxMetrics {
  podSandboxId: string;
  /** Of the sandbox as a whole. */
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
  /** When it was measured, in nanoseconds since 1970; 0: the metric is not cached, take the time of the answer. */
  timestamp: bigint;
  metricType: MetricType;
  /** In the order of the descriptor's `labelKeys`. */
  labelValues: string[];
  value?: UInt64Value;
}

/** Request of `RuntimeService.runtimeConfig`. */
export type RuntimeConfigRequest = Record<string, never>;

/** Answer of `RuntimeService.runtimeConfig`. */
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

/** Answer of `RuntimeService.updatePodSandboxResources`. */
export type UpdatePodSandboxResourcesResponse = Record<string, never>;
