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
 * Pod sandboxes and containers: what a kubelet asks of a container runtime to run pods.
 * Calls that stop or remove are idempotent: what is already stopped or gone is a success.
 */
export interface RuntimeService {
  /** Who the runtime is. The first call on every connection; a kubelet demands "0.1.0" in the answer. */
  version(request: VersionRequest, options?: CallOptions): Promise<VersionResponse>;

  /** Creates and starts a pod's sandbox: its cgroup, namespaces and network. Done when the sandbox is ready. */
  runPodSandbox(request: RunPodSandboxRequest, options?: CallOptions): Promise<RunPodSandboxResponse>;

  /**
   * Stops what still runs in a sandbox, by force, and gives its network resources (its IPs) back.
   * Idempotent; called at least once before RemovePodSandbox, maybe again after a failure.
   */
  stopPodSandbox(request: StopPodSandboxRequest, options?: CallOptions): Promise<StopPodSandboxResponse>;

  /** Removes a sandbox with all that is left in it, by force. A success when it does not exist. */
  removePodSandbox(request: RemovePodSandboxRequest, options?: CallOptions): Promise<RemovePodSandboxResponse>;

  /** State and addresses of one sandbox; NotFound when there is none. With GetContainerEvents also the statuses of its containers. */
  podSandboxStatus(request: PodSandboxStatusRequest, options?: CallOptions): Promise<PodSandboxStatusResponse>;

  /** The sandboxes that match the filter, in no order. */
  listPodSandbox(request: ListPodSandboxRequest, options?: CallOptions): Promise<ListPodSandboxResponse>;

  /** ListPodSandbox in several messages, for lists beyond the size of one. */
  streamPodSandboxes(request: StreamPodSandboxesRequest, options?: CallOptions): AsyncIterable<StreamPodSandboxesResponse>;

  /** Creates a container in a sandbox without starting it. Its image must be present. */
  createContainer(request: CreateContainerRequest, options?: CallOptions): Promise<CreateContainerResponse>;

  /** Starts a created container. */
  startContainer(request: StartContainerRequest, options?: CallOptions): Promise<StartContainerResponse>;

  /** Sends the stop signal, waits up to the grace period, then kills. Idempotent; returns when the container has stopped. */
  stopContainer(request: StopContainerRequest, options?: CallOptions): Promise<StopContainerResponse>;

  /** Removes a container, by force if it runs, and its log. A success when it does not exist. */
  removeContainer(request: RemoveContainerRequest, options?: CallOptions): Promise<RemoveContainerResponse>;

  /** The containers that match the filter, in no order. */
  listContainers(request: ListContainersRequest, options?: CallOptions): Promise<ListContainersResponse>;

  /** ListContainers in several messages, for lists beyond the size of one. */
  streamContainers(request: StreamContainersRequest, options?: CallOptions): AsyncIterable<StreamContainersResponse>;

  /** State of one container; NotFound when there is none. */
  containerStatus(request: ContainerStatusRequest, options?: CallOptions): Promise<ContainerStatusResponse>;

  /** Changes the limits of a container that exists. Fields left at zero stay as they are. */
  updateContainerResources(request: UpdateContainerResourcesRequest, options?: CallOptions): Promise<UpdateContainerResourcesResponse>;

  /** Makes the runtime open the container's log anew, after the kubelet has moved the file away. Fails unless the container runs. */
  reopenContainerLog(request: ReopenContainerLogRequest, options?: CallOptions): Promise<ReopenContainerLogResponse>;

  /** Runs a command in a container and answers with all its output when it has ended: probes and hooks. */
  execSync(request: ExecSyncRequest, options?: CallOptions): Promise<ExecSyncResponse>;

  /** Prepares an interactive command and answers with the URL at which it can be streamed. */
  exec(request: ExecRequest, options?: CallOptions): Promise<ExecResponse>;

  /** Prepares streaming to and from the main process of a container and answers with the URL. */
  attach(request: AttachRequest, options?: CallOptions): Promise<AttachResponse>;

  /** Prepares streaming to and from ports of a sandbox and answers with the URL. */
  portForward(request: PortForwardRequest, options?: CallOptions): Promise<PortForwardResponse>;

  /** Resource use of one running container; NotFound when there is none. */
  containerStats(request: ContainerStatsRequest, options?: CallOptions): Promise<ContainerStatsResponse>;

  /** Resource use of all running containers that match the filter. */
  listContainerStats(request: ListContainerStatsRequest, options?: CallOptions): Promise<ListContainerStatsResponse>;

  /** ListContainerStats in several messages, for lists beyond the size of one. */
  streamContainerStats(request: StreamContainerStatsRequest, options?: CallOptions): AsyncIterable<StreamContainerStatsResponse>;

  /** Resource use of one sandbox and the containers in it; NotFound when there is none. */
  podSandboxStats(request: PodSandboxStatsRequest, options?: CallOptions): Promise<PodSandboxStatsResponse>;

  /** Resource use of all sandboxes that match the filter. */
  listPodSandboxStats(request: ListPodSandboxStatsRequest, options?: CallOptions): Promise<ListPodSandboxStatsResponse>;

  /** ListPodSandboxStats in several messages, for lists beyond the size of one. */
  streamPodSandboxStats(request: StreamPodSandboxStatsRequest, options?: CallOptions): AsyncIterable<StreamPodSandboxStatsResponse>;

  /** Tells the runtime what it cannot know itself: the node's pod CIDR. */
  updateRuntimeConfig(request: UpdateRuntimeConfigRequest, options?: CallOptions): Promise<UpdateRuntimeConfigResponse>;

  /** Conditions of the runtime (RuntimeReady, NetworkReady), its handlers and features. */
  status(request: StatusRequest, options?: CallOptions): Promise<StatusResponse>;

  /** Writes a checkpoint of a running container to an archive. */
  checkpointContainer(request: CheckpointContainerRequest, options?: CallOptions): Promise<CheckpointContainerResponse>;

  /** Events of all containers as they happen, until the caller leaves. Nothing of the past is sent. */
  getContainerEvents(request: GetEventsRequest, options?: CallOptions): AsyncIterable<ContainerEventResponse>;

  /** Which metrics ListPodSandboxMetrics answers with. */
  listMetricDescriptors(request: ListMetricDescriptorsRequest, options?: CallOptions): Promise<ListMetricDescriptorsResponse>;

  /** Values of the metrics that ListMetricDescriptors describes, for every sandbox. */
  listPodSandboxMetrics(request: ListPodSandboxMetricsRequest, options?: CallOptions): Promise<ListPodSandboxMetricsResponse>;

  /** ListPodSandboxMetrics in several messages, for lists beyond the size of one. */
  streamPodSandboxMetrics(request: StreamPodSandboxMetricsRequest, options?: CallOptions): AsyncIterable<StreamPodSandboxMetricsResponse>;

  /** Settings of the runtime that a kubelet must share: the cgroup driver. */
  runtimeConfig(request: RuntimeConfigRequest, options?: CallOptions): Promise<RuntimeConfigResponse>;

  /** Changes the limits of a sandbox, after the kubelet changed the pod's cgroup. */
  updatePodSandboxResources(request: UpdatePodSandboxResourcesRequest, options?: CallOptions): Promise<UpdatePodSandboxResourcesResponse>;
}

/** Images of the runtime: what a kubelet asks to pull, find, size and remove them. */
export interface ImageService {
  /** The images that are present and match the filter. */
  listImages(request: ListImagesRequest, options?: CallOptions): Promise<ListImagesResponse>;

  /** ListImages in several messages, for lists beyond the size of one. */
  streamImages(request: StreamImagesRequest, options?: CallOptions): AsyncIterable<StreamImagesResponse>;

  /** One image. An image that is not present is a success without `image`. */
  imageStatus(request: ImageStatusRequest, options?: CallOptions): Promise<ImageStatusResponse>;

  /** Pulls an image with the given credentials and answers with a reference that identifies what was pulled. */
  pullImage(request: PullImageRequest, options?: CallOptions): Promise<PullImageResponse>;

  /** Removes an image. A success when it is not present. */
  removeImage(request: RemoveImageRequest, options?: CallOptions): Promise<RemoveImageResponse>;

  /** Use of the file systems that hold images and writable layers. */
  imageFsInfo(request: ImageFsInfoRequest, options?: CallOptions): Promise<ImageFsInfoResponse>;
}
