// Generated from packages/cri-client/proto/runtime.v1.proto. Do not edit.
import type { CallOptions } from './call-options.js';
import type {
  AttachRequest,
  AttachResponse,
  CheckpointContainerRequest,
  CheckpointContainerResponse,
  ContainerEventResponse,
  ContainerStatsRequest,
  ContainerStatsResponse,
  ContainerStatusRequest,
  ContainerStatusResponse,
  CreateContainerRequest,
  CreateContainerResponse,
  ExecRequest,
  ExecResponse,
  ExecSyncRequest,
  ExecSyncResponse,
  GetEventsRequest,
  ImageFsInfoRequest,
  ImageFsInfoResponse,
  ImageStatusRequest,
  ImageStatusResponse,
  ListContainerStatsRequest,
  ListContainerStatsResponse,
  ListContainersRequest,
  ListContainersResponse,
  ListImagesRequest,
  ListImagesResponse,
  ListMetricDescriptorsRequest,
  ListMetricDescriptorsResponse,
  ListPodSandboxMetricsRequest,
  ListPodSandboxMetricsResponse,
  ListPodSandboxRequest,
  ListPodSandboxResponse,
  ListPodSandboxStatsRequest,
  ListPodSandboxStatsResponse,
  PodSandboxStatsRequest,
  PodSandboxStatsResponse,
  PodSandboxStatusRequest,
  PodSandboxStatusResponse,
  PortForwardRequest,
  PortForwardResponse,
  PullImageRequest,
  PullImageResponse,
  RemoveContainerRequest,
  RemoveContainerResponse,
  RemoveImageRequest,
  RemoveImageResponse,
  RemovePodSandboxRequest,
  RemovePodSandboxResponse,
  ReopenContainerLogRequest,
  ReopenContainerLogResponse,
  RunPodSandboxRequest,
  RunPodSandboxResponse,
  RuntimeConfigRequest,
  RuntimeConfigResponse,
  StartContainerRequest,
  StartContainerResponse,
  StatusRequest,
  StatusResponse,
  StopContainerRequest,
  StopContainerResponse,
  StopPodSandboxRequest,
  StopPodSandboxResponse,
  StreamContainerStatsRequest,
  StreamContainerStatsResponse,
  StreamContainersRequest,
  StreamContainersResponse,
  StreamImagesRequest,
  StreamImagesResponse,
  StreamPodSandboxMetricsRequest,
  StreamPodSandboxMetricsResponse,
  StreamPodSandboxStatsRequest,
  StreamPodSandboxStatsResponse,
  StreamPodSandboxesRequest,
  StreamPodSandboxesResponse,
  UpdateContainerResourcesRequest,
  UpdateContainerResourcesResponse,
  UpdatePodSandboxResourcesRequest,
  UpdatePodSandboxResourcesResponse,
  UpdateRuntimeConfigRequest,
  UpdateRuntimeConfigResponse,
  VersionRequest,
  VersionResponse,
} from './messages.js';

/**
 * Pod sandboxes and containers: the methods that a kubelet calls to run pods.
 * Calls that stop or remove are idempotent: they succeed if the object is already stopped or removed.
 */
export interface RuntimeService {
  /** Name and version of the runtime. The first call on every connection; a kubelet requires "0.1.0" in the response. */
  version(request: VersionRequest, options?: CallOptions): Promise<VersionResponse>;

  /** Creates and starts a pod's sandbox: its cgroup, namespaces and network. Done when the sandbox is ready. */
  runPodSandbox(request: RunPodSandboxRequest, options?: CallOptions): Promise<RunPodSandboxResponse>;

  /**
   * Stops all processes in a sandbox by force, and releases its network resources (its IPs).
   * Idempotent; called at least once before RemovePodSandbox, possibly again after a failure.
   */
  stopPodSandbox(request: StopPodSandboxRequest, options?: CallOptions): Promise<StopPodSandboxResponse>;

  /** Removes a sandbox and its containers by force. Succeeds if it does not exist. */
  removePodSandbox(request: RemovePodSandboxRequest, options?: CallOptions): Promise<RemovePodSandboxResponse>;

  /** State and IP addresses of one sandbox; NotFound if it does not exist. With GetContainerEvents also the statuses of its containers. */
  podSandboxStatus(request: PodSandboxStatusRequest, options?: CallOptions): Promise<PodSandboxStatusResponse>;

  /** The sandboxes that match the filter, in no order. */
  listPodSandbox(request: ListPodSandboxRequest, options?: CallOptions): Promise<ListPodSandboxResponse>;

  /** ListPodSandbox in several messages, for lists that exceed the size of one message. */
  streamPodSandboxes(request: StreamPodSandboxesRequest, options?: CallOptions): AsyncIterable<StreamPodSandboxesResponse>;

  /** Creates a container in a sandbox without starting it. Its image must be present. */
  createContainer(request: CreateContainerRequest, options?: CallOptions): Promise<CreateContainerResponse>;

  /** Starts a created container. */
  startContainer(request: StartContainerRequest, options?: CallOptions): Promise<StartContainerResponse>;

  /** Sends the stop signal, waits up to the grace period, then kills. Idempotent; returns when the container has stopped. */
  stopContainer(request: StopContainerRequest, options?: CallOptions): Promise<StopContainerResponse>;

  /** Removes a container, by force if it runs, and its log. Succeeds if it does not exist. */
  removeContainer(request: RemoveContainerRequest, options?: CallOptions): Promise<RemoveContainerResponse>;

  /** The containers that match the filter, in no order. */
  listContainers(request: ListContainersRequest, options?: CallOptions): Promise<ListContainersResponse>;

  /** ListContainers in several messages, for lists that exceed the size of one message. */
  streamContainers(request: StreamContainersRequest, options?: CallOptions): AsyncIterable<StreamContainersResponse>;

  /** State of one container; NotFound if it does not exist. */
  containerStatus(request: ContainerStatusRequest, options?: CallOptions): Promise<ContainerStatusResponse>;

  /** Changes the limits of an existing container. Fields with the value zero are not changed. */
  updateContainerResources(request: UpdateContainerResourcesRequest, options?: CallOptions): Promise<UpdateContainerResourcesResponse>;

  /** Makes the runtime reopen the container's log, after the kubelet has renamed the file. Fails unless the container runs. */
  reopenContainerLog(request: ReopenContainerLogRequest, options?: CallOptions): Promise<ReopenContainerLogResponse>;

  /** Runs a command in a container and returns its whole output when it has ended: for probes and hooks. */
  execSync(request: ExecSyncRequest, options?: CallOptions): Promise<ExecSyncResponse>;

  /** Prepares an interactive command and returns the URL of its streams. */
  exec(request: ExecRequest, options?: CallOptions): Promise<ExecResponse>;

  /** Prepares streaming to and from the main process of a container and returns the URL. */
  attach(request: AttachRequest, options?: CallOptions): Promise<AttachResponse>;

  /** Prepares streaming to and from ports of a sandbox and returns the URL. */
  portForward(request: PortForwardRequest, options?: CallOptions): Promise<PortForwardResponse>;

  /** Resource usage of one running container; NotFound if it does not exist. */
  containerStats(request: ContainerStatsRequest, options?: CallOptions): Promise<ContainerStatsResponse>;

  /** Resource usage of all running containers that match the filter. */
  listContainerStats(request: ListContainerStatsRequest, options?: CallOptions): Promise<ListContainerStatsResponse>;

  /** ListContainerStats in several messages, for lists that exceed the size of one message. */
  streamContainerStats(request: StreamContainerStatsRequest, options?: CallOptions): AsyncIterable<StreamContainerStatsResponse>;

  /** Resource usage of one sandbox and its containers; NotFound if it does not exist. */
  podSandboxStats(request: PodSandboxStatsRequest, options?: CallOptions): Promise<PodSandboxStatsResponse>;

  /** Resource usage of all sandboxes that match the filter. */
  listPodSandboxStats(request: ListPodSandboxStatsRequest, options?: CallOptions): Promise<ListPodSandboxStatsResponse>;

  /** ListPodSandboxStats in several messages, for lists that exceed the size of one message. */
  streamPodSandboxStats(request: StreamPodSandboxStatsRequest, options?: CallOptions): AsyncIterable<StreamPodSandboxStatsResponse>;

  /** Sends the runtime the node's pod CIDR. */
  updateRuntimeConfig(request: UpdateRuntimeConfigRequest, options?: CallOptions): Promise<UpdateRuntimeConfigResponse>;

  /** Conditions of the runtime (RuntimeReady, NetworkReady), its handlers and features. */
  status(request: StatusRequest, options?: CallOptions): Promise<StatusResponse>;

  /** Writes a checkpoint of a running container to an archive. */
  checkpointContainer(request: CheckpointContainerRequest, options?: CallOptions): Promise<CheckpointContainerResponse>;

  /** Events of all containers, until the caller cancels. Past events are not sent. */
  getContainerEvents(request: GetEventsRequest, options?: CallOptions): AsyncIterable<ContainerEventResponse>;

  /** The descriptors of the metrics that ListPodSandboxMetrics returns. */
  listMetricDescriptors(request: ListMetricDescriptorsRequest, options?: CallOptions): Promise<ListMetricDescriptorsResponse>;

  /** Values of the metrics that ListMetricDescriptors describes, for every sandbox. */
  listPodSandboxMetrics(request: ListPodSandboxMetricsRequest, options?: CallOptions): Promise<ListPodSandboxMetricsResponse>;

  /** ListPodSandboxMetrics in several messages, for lists that exceed the size of one message. */
  streamPodSandboxMetrics(request: StreamPodSandboxMetricsRequest, options?: CallOptions): AsyncIterable<StreamPodSandboxMetricsResponse>;

  /** Settings that kubelet and runtime must share: the cgroup driver. */
  runtimeConfig(request: RuntimeConfigRequest, options?: CallOptions): Promise<RuntimeConfigResponse>;

  /** Changes the limits of a sandbox, after the kubelet changed the pod's cgroup. */
  updatePodSandboxResources(request: UpdatePodSandboxResourcesRequest, options?: CallOptions): Promise<UpdatePodSandboxResourcesResponse>;
}

/** Images of the runtime: the methods that a kubelet calls to pull, find, measure and remove them. */
export interface ImageService {
  /** The present images that match the filter. */
  listImages(request: ListImagesRequest, options?: CallOptions): Promise<ListImagesResponse>;

  /** ListImages in several messages, for lists that exceed the size of one message. */
  streamImages(request: StreamImagesRequest, options?: CallOptions): AsyncIterable<StreamImagesResponse>;

  /** One image. Succeeds without `image` if it is not present. */
  imageStatus(request: ImageStatusRequest, options?: CallOptions): Promise<ImageStatusResponse>;

  /** Pulls an image with the given credentials and returns a reference that identifies the pulled image. */
  pullImage(request: PullImageRequest, options?: CallOptions): Promise<PullImageResponse>;

  /** Removes an image. Succeeds if it is not present. */
  removeImage(request: RemoveImageRequest, options?: CallOptions): Promise<RemoveImageResponse>;

  /** Usage of the file systems of images and writable layers. */
  imageFsInfo(request: ImageFsInfoRequest, options?: CallOptions): Promise<ImageFsInfoResponse>;
}
