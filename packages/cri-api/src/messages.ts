// Generated from packages/cri-client/proto/runtime.v1.proto by `npm run generate-cri`. Do not edit.

export type Protocol =
  | 'TCP'
  | 'UDP'
  | 'SCTP';

export type MountPropagation =
  | 'PROPAGATION_PRIVATE'
  | 'PROPAGATION_HOST_TO_CONTAINER'
  | 'PROPAGATION_BIDIRECTIONAL';

export type NamespaceMode =
  | 'POD'
  | 'CONTAINER'
  | 'NODE'
  | 'TARGET';

export type SupplementalGroupsPolicy =
  | 'Merge'
  | 'Strict';

export type ProfileType =
  | 'RuntimeDefault'
  | 'Unconfined'
  | 'Localhost';

export type PodSandboxState =
  | 'SANDBOX_READY'
  | 'SANDBOX_NOTREADY';

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

export type ContainerState =
  | 'CONTAINER_CREATED'
  | 'CONTAINER_RUNNING'
  | 'CONTAINER_EXITED'
  | 'CONTAINER_UNKNOWN';

export type ContainerEventType =
  | 'CONTAINER_CREATED_EVENT'
  | 'CONTAINER_STARTED_EVENT'
  | 'CONTAINER_STOPPED_EVENT'
  | 'CONTAINER_DELETED_EVENT';

export type MetricType =
  | 'COUNTER'
  | 'GAUGE';

export type CgroupDriver =
  | 'SYSTEMD'
  | 'CGROUPFS';

export interface VersionRequest {
  version?: string;
}

export interface VersionResponse {
  version: string;
  runtimeName: string;
  runtimeVersion: string;
  runtimeApiVersion: string;
}

export interface DNSConfig {
  servers?: string[];
  searches?: string[];
  options?: string[];
}

export interface PortMapping {
  protocol?: Protocol;
  containerPort?: number;
  hostPort?: number;
  hostIp?: string;
}

export interface Mount {
  containerPath?: string;
  hostPath?: string;
  readonly?: boolean;
  selinuxRelabel?: boolean;
  propagation?: MountPropagation;
  uidMappings?: IDMapping[];
  gidMappings?: IDMapping[];
  recursiveReadOnly?: boolean;
  image?: ImageSpec;
  imageSubPath?: string;
}

export interface IDMapping {
  hostId: number;
  containerId: number;
  length: number;
}

export interface UserNamespace {
  mode?: NamespaceMode;
  uids?: IDMapping[];
  gids?: IDMapping[];
}

export interface NamespaceOption {
  network?: NamespaceMode;
  pid?: NamespaceMode;
  ipc?: NamespaceMode;
  targetId?: string;
  usernsOptions?: UserNamespace;
}

export interface Int64Value {
  value: bigint;
}

export interface LinuxSandboxSecurityContext {
  namespaceOptions?: NamespaceOption;
  selinuxOptions?: SELinuxOption;
  runAsUser?: Int64Value;
  runAsGroup?: Int64Value;
  readonlyRootfs?: boolean;
  supplementalGroups?: bigint[];
  supplementalGroupsPolicy?: SupplementalGroupsPolicy;
  privileged?: boolean;
  seccomp?: SecurityProfile;
  apparmor?: SecurityProfile;
  seccompProfilePath?: string;
}

export interface SecurityProfile {
  profileType?: ProfileType;
  localhostRef?: string;
}

export interface LinuxPodSandboxConfig {
  cgroupParent?: string;
  securityContext?: LinuxSandboxSecurityContext;
  sysctls?: Record<string, string>;
  overhead?: LinuxContainerResources;
  resources?: LinuxContainerResources;
}

export interface PodSandboxMetadata {
  name: string;
  uid: string;
  namespace: string;
  attempt: number;
}

export interface PodSandboxConfig {
  metadata?: PodSandboxMetadata;
  hostname?: string;
  logDirectory?: string;
  dnsConfig?: DNSConfig;
  portMappings?: PortMapping[];
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  linux?: LinuxPodSandboxConfig;
  windows?: WindowsPodSandboxConfig;
}

export interface RunPodSandboxRequest {
  config?: PodSandboxConfig;
  runtimeHandler?: string;
}

export interface RunPodSandboxResponse {
  podSandboxId: string;
}

export interface StopPodSandboxRequest {
  podSandboxId?: string;
}

export type StopPodSandboxResponse = Record<string, never>;

export interface RemovePodSandboxRequest {
  podSandboxId?: string;
}

export type RemovePodSandboxResponse = Record<string, never>;

export interface PodSandboxStatusRequest {
  podSandboxId?: string;
  verbose?: boolean;
}

export interface PodIP {
  ip: string;
}

export interface PodSandboxNetworkStatus {
  ip: string;
  additionalIps: PodIP[];
}

export interface Namespace {
  options?: NamespaceOption;
}

export interface LinuxPodSandboxStatus {
  namespaces?: Namespace;
}

export interface PodSandboxStatus {
  id: string;
  metadata?: PodSandboxMetadata;
  state: PodSandboxState;
  createdAt: bigint;
  network?: PodSandboxNetworkStatus;
  linux?: LinuxPodSandboxStatus;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  runtimeHandler: string;
}

export interface PodSandboxStatusResponse {
  status?: PodSandboxStatus;
  info: Record<string, string>;
  containersStatuses: ContainerStatus[];
  timestamp: bigint;
}

export interface PodSandboxStateValue {
  state?: PodSandboxState;
}

export interface PodSandboxFilter {
  id?: string;
  state?: PodSandboxStateValue;
  labelSelector?: Record<string, string>;
}

export interface ListPodSandboxRequest {
  filter?: PodSandboxFilter;
}

export interface PodSandbox {
  id: string;
  metadata?: PodSandboxMetadata;
  state: PodSandboxState;
  createdAt: bigint;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  runtimeHandler: string;
}

export interface ListPodSandboxResponse {
  items: PodSandbox[];
}

export interface StreamPodSandboxesRequest {
  filter?: PodSandboxFilter;
}

export interface StreamPodSandboxesResponse {
  podSandboxes: PodSandbox[];
}

export interface PodSandboxStatsRequest {
  podSandboxId?: string;
}

export interface PodSandboxStatsResponse {
  stats?: PodSandboxStats;
}

export interface PodSandboxStatsFilter {
  id?: string;
  labelSelector?: Record<string, string>;
}

export interface ListPodSandboxStatsRequest {
  filter?: PodSandboxStatsFilter;
}

export interface ListPodSandboxStatsResponse {
  stats: PodSandboxStats[];
}

export interface StreamPodSandboxStatsRequest {
  filter?: PodSandboxStatsFilter;
}

export interface StreamPodSandboxStatsResponse {
  podSandboxStats: PodSandboxStats[];
}

export interface PodSandboxAttributes {
  id: string;
  metadata?: PodSandboxMetadata;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

export interface PodSandboxStats {
  attributes?: PodSandboxAttributes;
  linux?: LinuxPodSandboxStats;
  windows?: WindowsPodSandboxStats;
}

export interface LinuxPodSandboxStats {
  cpu?: CpuUsage;
  memory?: MemoryUsage;
  network?: NetworkUsage;
  process?: ProcessUsage;
  containers: ContainerStats[];
  io?: IoUsage;
}

export interface WindowsPodSandboxStats {
  cpu?: WindowsCpuUsage;
  memory?: WindowsMemoryUsage;
  network?: WindowsNetworkUsage;
  process?: WindowsProcessUsage;
  containers: WindowsContainerStats[];
}

export interface NetworkUsage {
  timestamp: bigint;
  defaultInterface?: NetworkInterfaceUsage;
  interfaces: NetworkInterfaceUsage[];
}

export interface WindowsNetworkUsage {
  timestamp: bigint;
  defaultInterface?: WindowsNetworkInterfaceUsage;
  interfaces: WindowsNetworkInterfaceUsage[];
}

export interface NetworkInterfaceUsage {
  name: string;
  rxBytes?: UInt64Value;
  rxErrors?: UInt64Value;
  txBytes?: UInt64Value;
  txErrors?: UInt64Value;
}

export interface WindowsNetworkInterfaceUsage {
  name: string;
  rxBytes?: UInt64Value;
  rxPacketsDropped?: UInt64Value;
  txBytes?: UInt64Value;
  txPacketsDropped?: UInt64Value;
}

export interface ProcessUsage {
  timestamp: bigint;
  processCount?: UInt64Value;
}

export interface WindowsProcessUsage {
  timestamp: bigint;
  processCount?: UInt64Value;
}

export interface ImageSpec {
  image?: string;
  annotations?: Record<string, string>;
  userSpecifiedImage?: string;
  runtimeHandler?: string;
  imageRef?: string;
}

export interface KeyValue {
  key: string;
  value: Uint8Array;
}

export interface LinuxContainerResources {
  cpuPeriod?: bigint;
  cpuQuota?: bigint;
  cpuShares?: bigint;
  memoryLimitInBytes?: bigint;
  oomScoreAdj?: bigint;
  cpusetCpus?: string;
  cpusetMems?: string;
  hugepageLimits?: HugepageLimit[];
  unified?: Record<string, string>;
  memorySwapLimitInBytes?: bigint;
}

export interface HugepageLimit {
  pageSize: string;
  limit: bigint;
}

export interface SELinuxOption {
  user?: string;
  role?: string;
  type?: string;
  level?: string;
}

export interface Capability {
  addCapabilities?: string[];
  dropCapabilities?: string[];
  addAmbientCapabilities?: string[];
}

export interface LinuxContainerSecurityContext {
  capabilities?: Capability;
  privileged?: boolean;
  namespaceOptions?: NamespaceOption;
  selinuxOptions?: SELinuxOption;
  runAsUser?: Int64Value;
  runAsGroup?: Int64Value;
  runAsUsername?: string;
  readonlyRootfs?: boolean;
  supplementalGroups?: bigint[];
  supplementalGroupsPolicy?: SupplementalGroupsPolicy;
  noNewPrivs?: boolean;
  maskedPaths?: string[];
  readonlyPaths?: string[];
  seccomp?: SecurityProfile;
  apparmor?: SecurityProfile;
  apparmorProfile?: string;
  seccompProfilePath?: string;
}

export interface LinuxContainerConfig {
  resources?: LinuxContainerResources;
  securityContext?: LinuxContainerSecurityContext;
}

export interface LinuxContainerUser {
  uid: bigint;
  gid: bigint;
  supplementalGroups: bigint[];
}

export interface WindowsNamespaceOption {
  network?: NamespaceMode;
}

export interface WindowsSandboxSecurityContext {
  runAsUsername?: string;
  credentialSpec?: string;
  hostProcess?: boolean;
  namespaceOptions?: WindowsNamespaceOption;
}

export interface WindowsPodSandboxConfig {
  securityContext?: WindowsSandboxSecurityContext;
}

export interface WindowsContainerSecurityContext {
  runAsUsername?: string;
  credentialSpec?: string;
  hostProcess?: boolean;
}

export interface WindowsContainerConfig {
  resources?: WindowsContainerResources;
  securityContext?: WindowsContainerSecurityContext;
}

export interface WindowsContainerResources {
  cpuShares?: bigint;
  cpuCount?: bigint;
  cpuMaximum?: bigint;
  memoryLimitInBytes?: bigint;
  rootfsSizeInBytes?: bigint;
  affinityCpus?: WindowsCpuGroupAffinity[];
}

export interface WindowsCpuGroupAffinity {
  cpuMask?: bigint;
  cpuGroup?: number;
}

export interface ContainerMetadata {
  name: string;
  attempt: number;
}

export interface Device {
  containerPath?: string;
  hostPath?: string;
  permissions?: string;
}

export interface CDIDevice {
  name?: string;
}

export interface ContainerConfig {
  metadata?: ContainerMetadata;
  image?: ImageSpec;
  command?: string[];
  args?: string[];
  workingDir?: string;
  envs?: KeyValue[];
  mounts?: Mount[];
  devices?: Device[];
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  logPath?: string;
  stdin?: boolean;
  stdinOnce?: boolean;
  tty?: boolean;
  linux?: LinuxContainerConfig;
  windows?: WindowsContainerConfig;
  cdiDevices?: CDIDevice[];
  stopSignal?: Signal;
}

export interface CreateContainerRequest {
  podSandboxId?: string;
  config?: ContainerConfig;
  sandboxConfig?: PodSandboxConfig;
}

export interface CreateContainerResponse {
  containerId: string;
}

export interface StartContainerRequest {
  containerId?: string;
}

export type StartContainerResponse = Record<string, never>;

export interface StopContainerRequest {
  containerId?: string;
  timeout?: bigint;
}

export type StopContainerResponse = Record<string, never>;

export interface RemoveContainerRequest {
  containerId?: string;
}

export type RemoveContainerResponse = Record<string, never>;

export interface ContainerStateValue {
  state?: ContainerState;
}

export interface ContainerFilter {
  id?: string;
  state?: ContainerStateValue;
  podSandboxId?: string;
  labelSelector?: Record<string, string>;
}

export interface ListContainersRequest {
  filter?: ContainerFilter;
}

export interface Container {
  id: string;
  podSandboxId: string;
  metadata?: ContainerMetadata;
  image?: ImageSpec;
  imageRef: string;
  state: ContainerState;
  createdAt: bigint;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  imageId: string;
}

export interface ListContainersResponse {
  containers: Container[];
}

export interface StreamContainersRequest {
  filter?: ContainerFilter;
}

export interface StreamContainersResponse {
  containers: Container[];
}

export interface ContainerStatusRequest {
  containerId?: string;
  verbose?: boolean;
}

export interface ContainerStatus {
  id: string;
  metadata?: ContainerMetadata;
  state: ContainerState;
  createdAt: bigint;
  startedAt: bigint;
  finishedAt: bigint;
  exitCode: number;
  image?: ImageSpec;
  imageRef: string;
  reason: string;
  message: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  mounts: Mount[];
  logPath: string;
  resources?: ContainerResources;
  imageId: string;
  user?: ContainerUser;
  stopSignal: Signal;
}

export interface ContainerStatusResponse {
  status?: ContainerStatus;
  info: Record<string, string>;
}

export interface ContainerResources {
  linux?: LinuxContainerResources;
  windows?: WindowsContainerResources;
}

export interface ContainerUser {
  linux?: LinuxContainerUser;
}

export interface UpdateContainerResourcesRequest {
  containerId?: string;
  linux?: LinuxContainerResources;
  windows?: WindowsContainerResources;
  annotations?: Record<string, string>;
}

export type UpdateContainerResourcesResponse = Record<string, never>;

export interface ExecSyncRequest {
  containerId?: string;
  cmd?: string[];
  timeout?: bigint;
}

export interface ExecSyncResponse {
  stdout: Uint8Array;
  stderr: Uint8Array;
  exitCode: number;
}

export interface ExecRequest {
  containerId?: string;
  cmd?: string[];
  tty?: boolean;
  stdin?: boolean;
  stdout?: boolean;
  stderr?: boolean;
}

export interface ExecResponse {
  url: string;
}

export interface AttachRequest {
  containerId?: string;
  stdin?: boolean;
  tty?: boolean;
  stdout?: boolean;
  stderr?: boolean;
}

export interface AttachResponse {
  url: string;
}

export interface PortForwardRequest {
  podSandboxId?: string;
  port?: number[];
}

export interface PortForwardResponse {
  url: string;
}

export interface ImageFilter {
  image?: ImageSpec;
}

export interface ListImagesRequest {
  filter?: ImageFilter;
}

export interface Image {
  id: string;
  repoTags: string[];
  repoDigests: string[];
  size: bigint;
  uid?: Int64Value;
  username: string;
  spec?: ImageSpec;
  pinned: boolean;
}

export interface ListImagesResponse {
  images: Image[];
}

export interface StreamImagesRequest {
  filter?: ImageFilter;
}

export interface StreamImagesResponse {
  images: Image[];
}

export interface ImageStatusRequest {
  image?: ImageSpec;
  verbose?: boolean;
}

export interface ImageStatusResponse {
  image?: Image;
  info: Record<string, string>;
}

export interface AuthConfig {
  username?: string;
  password?: string;
  auth?: string;
  serverAddress?: string;
  identityToken?: string;
  registryToken?: string;
}

export interface PullImageRequest {
  image?: ImageSpec;
  auth?: AuthConfig;
  sandboxConfig?: PodSandboxConfig;
}

export interface PullImageResponse {
  imageRef: string;
}

export interface RemoveImageRequest {
  image?: ImageSpec;
}

export type RemoveImageResponse = Record<string, never>;

export interface NetworkConfig {
  podCidr?: string;
}

export interface RuntimeConfig {
  networkConfig?: NetworkConfig;
}

export interface UpdateRuntimeConfigRequest {
  runtimeConfig?: RuntimeConfig;
}

export type UpdateRuntimeConfigResponse = Record<string, never>;

export interface RuntimeCondition {
  type: string;
  status: boolean;
  reason: string;
  message: string;
}

export interface RuntimeStatus {
  conditions: RuntimeCondition[];
}

export interface StatusRequest {
  verbose?: boolean;
}

export interface RuntimeHandlerFeatures {
  recursiveReadOnlyMounts: boolean;
  userNamespaces: boolean;
}

export interface RuntimeHandler {
  name: string;
  features?: RuntimeHandlerFeatures;
}

export interface RuntimeFeatures {
  supplementalGroupsPolicy: boolean;
  userNamespacesHostNetwork: boolean;
}

export interface StatusResponse {
  status?: RuntimeStatus;
  info: Record<string, string>;
  runtimeHandlers: RuntimeHandler[];
  features?: RuntimeFeatures;
}

export type ImageFsInfoRequest = Record<string, never>;

export interface UInt64Value {
  value: bigint;
}

export interface FilesystemIdentifier {
  mountpoint: string;
}

export interface FilesystemUsage {
  timestamp: bigint;
  fsId?: FilesystemIdentifier;
  usedBytes?: UInt64Value;
  inodesUsed?: UInt64Value;
}

export interface WindowsFilesystemUsage {
  timestamp: bigint;
  fsId?: FilesystemIdentifier;
  usedBytes?: UInt64Value;
}

export interface ImageFsInfoResponse {
  imageFilesystems: FilesystemUsage[];
  containerFilesystems: FilesystemUsage[];
}

export interface ContainerStatsRequest {
  containerId?: string;
}

export interface ContainerStatsResponse {
  stats?: ContainerStats;
}

export interface ListContainerStatsRequest {
  filter?: ContainerStatsFilter;
}

export interface ContainerStatsFilter {
  id?: string;
  podSandboxId?: string;
  labelSelector?: Record<string, string>;
}

export interface ListContainerStatsResponse {
  stats: ContainerStats[];
}

export interface StreamContainerStatsRequest {
  filter?: ContainerStatsFilter;
}

export interface StreamContainerStatsResponse {
  containerStats: ContainerStats[];
}

export interface ContainerAttributes {
  id: string;
  metadata?: ContainerMetadata;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

export interface ContainerStats {
  attributes?: ContainerAttributes;
  cpu?: CpuUsage;
  memory?: MemoryUsage;
  writableLayer?: FilesystemUsage;
  swap?: SwapUsage;
  io?: IoUsage;
}

export interface WindowsContainerStats {
  attributes?: ContainerAttributes;
  cpu?: WindowsCpuUsage;
  memory?: WindowsMemoryUsage;
  writableLayer?: WindowsFilesystemUsage;
}

export interface PsiStats {
  full?: PsiData;
  some?: PsiData;
}

export interface PsiData {
  total: bigint;
  avg10: number;
  avg60: number;
  avg300: number;
}

export interface CpuUsage {
  timestamp: bigint;
  usageCoreNanoSeconds?: UInt64Value;
  usageNanoCores?: UInt64Value;
  psi?: PsiStats;
}

export interface WindowsCpuUsage {
  timestamp: bigint;
  usageCoreNanoSeconds?: UInt64Value;
  usageNanoCores?: UInt64Value;
}

export interface MemoryUsage {
  timestamp: bigint;
  workingSetBytes?: UInt64Value;
  availableBytes?: UInt64Value;
  usageBytes?: UInt64Value;
  rssBytes?: UInt64Value;
  pageFaults?: UInt64Value;
  majorPageFaults?: UInt64Value;
  psi?: PsiStats;
}

export interface IoUsage {
  timestamp: bigint;
  psi?: PsiStats;
}

export interface SwapUsage {
  timestamp: bigint;
  swapAvailableBytes?: UInt64Value;
  swapUsageBytes?: UInt64Value;
}

export interface WindowsMemoryUsage {
  timestamp: bigint;
  workingSetBytes?: UInt64Value;
  availableBytes?: UInt64Value;
  pageFaults?: UInt64Value;
  commitMemoryBytes?: UInt64Value;
}

export interface ReopenContainerLogRequest {
  containerId?: string;
}

export type ReopenContainerLogResponse = Record<string, never>;

export interface CheckpointContainerRequest {
  containerId?: string;
  location?: string;
  timeout?: bigint;
}

export type CheckpointContainerResponse = Record<string, never>;

export type GetEventsRequest = Record<string, never>;

export interface ContainerEventResponse {
  containerId: string;
  containerEventType: ContainerEventType;
  createdAt: bigint;
  podSandboxStatus?: PodSandboxStatus;
  containersStatuses: ContainerStatus[];
}

export type ListMetricDescriptorsRequest = Record<string, never>;

export interface ListMetricDescriptorsResponse {
  descriptors: MetricDescriptor[];
}

export interface MetricDescriptor {
  name: string;
  help: string;
  labelKeys: string[];
}

export type ListPodSandboxMetricsRequest = Record<string, never>;

export interface ListPodSandboxMetricsResponse {
  podMetrics: PodSandboxMetrics[];
}

export type StreamPodSandboxMetricsRequest = Record<string, never>;

export interface StreamPodSandboxMetricsResponse {
  podSandboxMetrics: PodSandboxMetrics[];
}

export interface PodSandboxMetrics {
  podSandboxId: string;
  metrics: Metric[];
  containerMetrics: ContainerMetrics[];
}

export interface ContainerMetrics {
  containerId: string;
  metrics: Metric[];
}

export interface Metric {
  name: string;
  timestamp: bigint;
  metricType: MetricType;
  labelValues: string[];
  value?: UInt64Value;
}

export type RuntimeConfigRequest = Record<string, never>;

export interface RuntimeConfigResponse {
  linux?: LinuxRuntimeConfiguration;
}

export interface LinuxRuntimeConfiguration {
  cgroupDriver: CgroupDriver;
}

export interface UpdatePodSandboxResourcesRequest {
  podSandboxId?: string;
  overhead?: LinuxContainerResources;
  resources?: LinuxContainerResources;
}

export type UpdatePodSandboxResourcesResponse = Record<string, never>;
