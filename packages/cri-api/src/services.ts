// Generated from packages/cri-client/proto/runtime.v1.proto by `npm run generate-cri`. Do not edit.
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

export interface RuntimeService {
  version(request: VersionRequest, options?: CallOptions): Promise<VersionResponse>;

  runPodSandbox(request: RunPodSandboxRequest, options?: CallOptions): Promise<RunPodSandboxResponse>;

  stopPodSandbox(request: StopPodSandboxRequest, options?: CallOptions): Promise<StopPodSandboxResponse>;

  removePodSandbox(request: RemovePodSandboxRequest, options?: CallOptions): Promise<RemovePodSandboxResponse>;

  podSandboxStatus(request: PodSandboxStatusRequest, options?: CallOptions): Promise<PodSandboxStatusResponse>;

  listPodSandbox(request: ListPodSandboxRequest, options?: CallOptions): Promise<ListPodSandboxResponse>;

  streamPodSandboxes(request: StreamPodSandboxesRequest, options?: CallOptions): AsyncIterable<StreamPodSandboxesResponse>;

  createContainer(request: CreateContainerRequest, options?: CallOptions): Promise<CreateContainerResponse>;

  startContainer(request: StartContainerRequest, options?: CallOptions): Promise<StartContainerResponse>;

  stopContainer(request: StopContainerRequest, options?: CallOptions): Promise<StopContainerResponse>;

  removeContainer(request: RemoveContainerRequest, options?: CallOptions): Promise<RemoveContainerResponse>;

  listContainers(request: ListContainersRequest, options?: CallOptions): Promise<ListContainersResponse>;

  streamContainers(request: StreamContainersRequest, options?: CallOptions): AsyncIterable<StreamContainersResponse>;

  containerStatus(request: ContainerStatusRequest, options?: CallOptions): Promise<ContainerStatusResponse>;

  updateContainerResources(request: UpdateContainerResourcesRequest, options?: CallOptions): Promise<UpdateContainerResourcesResponse>;

  reopenContainerLog(request: ReopenContainerLogRequest, options?: CallOptions): Promise<ReopenContainerLogResponse>;

  execSync(request: ExecSyncRequest, options?: CallOptions): Promise<ExecSyncResponse>;

  exec(request: ExecRequest, options?: CallOptions): Promise<ExecResponse>;

  attach(request: AttachRequest, options?: CallOptions): Promise<AttachResponse>;

  portForward(request: PortForwardRequest, options?: CallOptions): Promise<PortForwardResponse>;

  containerStats(request: ContainerStatsRequest, options?: CallOptions): Promise<ContainerStatsResponse>;

  listContainerStats(request: ListContainerStatsRequest, options?: CallOptions): Promise<ListContainerStatsResponse>;

  streamContainerStats(request: StreamContainerStatsRequest, options?: CallOptions): AsyncIterable<StreamContainerStatsResponse>;

  podSandboxStats(request: PodSandboxStatsRequest, options?: CallOptions): Promise<PodSandboxStatsResponse>;

  listPodSandboxStats(request: ListPodSandboxStatsRequest, options?: CallOptions): Promise<ListPodSandboxStatsResponse>;

  streamPodSandboxStats(request: StreamPodSandboxStatsRequest, options?: CallOptions): AsyncIterable<StreamPodSandboxStatsResponse>;

  updateRuntimeConfig(request: UpdateRuntimeConfigRequest, options?: CallOptions): Promise<UpdateRuntimeConfigResponse>;

  status(request: StatusRequest, options?: CallOptions): Promise<StatusResponse>;

  checkpointContainer(request: CheckpointContainerRequest, options?: CallOptions): Promise<CheckpointContainerResponse>;

  getContainerEvents(request: GetEventsRequest, options?: CallOptions): AsyncIterable<ContainerEventResponse>;

  listMetricDescriptors(request: ListMetricDescriptorsRequest, options?: CallOptions): Promise<ListMetricDescriptorsResponse>;

  listPodSandboxMetrics(request: ListPodSandboxMetricsRequest, options?: CallOptions): Promise<ListPodSandboxMetricsResponse>;

  streamPodSandboxMetrics(request: StreamPodSandboxMetricsRequest, options?: CallOptions): AsyncIterable<StreamPodSandboxMetricsResponse>;

  runtimeConfig(request: RuntimeConfigRequest, options?: CallOptions): Promise<RuntimeConfigResponse>;

  updatePodSandboxResources(request: UpdatePodSandboxResourcesRequest, options?: CallOptions): Promise<UpdatePodSandboxResourcesResponse>;
}

export interface ImageService {
  listImages(request: ListImagesRequest, options?: CallOptions): Promise<ListImagesResponse>;

  streamImages(request: StreamImagesRequest, options?: CallOptions): AsyncIterable<StreamImagesResponse>;

  imageStatus(request: ImageStatusRequest, options?: CallOptions): Promise<ImageStatusResponse>;

  pullImage(request: PullImageRequest, options?: CallOptions): Promise<PullImageResponse>;

  removeImage(request: RemoveImageRequest, options?: CallOptions): Promise<RemoveImageResponse>;

  imageFsInfo(request: ImageFsInfoRequest, options?: CallOptions): Promise<ImageFsInfoResponse>;
}
