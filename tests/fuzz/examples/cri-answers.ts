import { readFileSync } from 'node:fs';
import protobuf from 'protobufjs';
import type { Json } from '../generate/json.js';

const schema = readFileSync(new URL('../../../packages/cri-client/proto/runtime.v1.proto', import.meta.url), 'utf8');
const { root } = protobuf.parse(schema, new protobuf.Root());

/** A valid answer, encoded by protobufjs and not by the package. */
function encode(type: string, answer: Json): Buffer {
  const message = root.lookupType(`runtime.v1.${type}`);
  return Buffer.from(message.encode(message.fromObject(answer as Record<string, unknown>)).finish());
}

const labels = {
  'io.kubernetes.pod.name': 'web',
  'io.kubernetes.pod.namespace': 'default',
  'io.kubernetes.pod.uid': 'u1',
  'io.kubernetes.container.name': 'app',
};
const annotations = {
  'io.kubernetes.container.hash': 'abc1',
  'io.kubernetes.container.restartCount': '2',
  'io.kubernetes.container.terminationMessagePath': '/dev/termination-log',
  'io.kubernetes.container.terminationMessagePolicy': 'FallbackToLogsOnError',
  'io.kubernetes.container.preStopHandler': '{"exec":{"command":["true"]}}',
  'io.kubernetes.container.ports': '[{"containerPort":80}]',
  'io.kubernetes.pod.terminationGracePeriod': '1',
};
const sandboxMetadata = { name: 'web', namespace: 'default', uid: 'u1', attempt: 1 };
const createdAt = '1760000000000000001';
const image = { image: 'nginx', userSpecifiedImage: 'nginx:1' };
const container = {
  id: 'c1',
  podSandboxId: 's1',
  metadata: { name: 'app', attempt: 2 },
  image,
  imageRef: 'sha256:1',
  state: 'CONTAINER_RUNNING',
  createdAt,
  labels,
  annotations,
};
const containerStatus = {
  id: 'c1',
  metadata: container.metadata,
  state: 'CONTAINER_EXITED',
  createdAt,
  startedAt: createdAt,
  finishedAt: createdAt,
  exitCode: 137,
  image,
  imageRef: 'sha256:1',
  reason: 'OOMKilled',
  message: 'killed',
  labels,
  annotations,
  mounts: [{ containerPath: '/dev/termination-log', hostPath: '/termination' }],
  logPath: '/log',
  resources: { linux: { cpuShares: 512, cpuQuota: 50_000, cpuPeriod: 100_000, memoryLimitInBytes: 1_048_576 } },
  user: { linux: { uid: 1, gid: 2, supplementalGroups: [3, 4] } },
  stopSignal: 15,
};
const sandbox = { id: 's1', metadata: sandboxMetadata, state: 0, createdAt, labels, annotations, runtimeHandler: 'runc' };
const sandboxStatus = {
  ...sandbox,
  network: { ip: '10.0.0.1', additionalIps: [{ ip: 'fd00::1' }] },
  linux: { namespaces: { options: { network: 2, pid: 1 } } },
};
const usage = { timestamp: createdAt, fsId: { mountpoint: '/var/lib' }, usedBytes: { value: 1 }, inodesUsed: { value: 2 } };
const cpu = { timestamp: createdAt, usageCoreNanoSeconds: { value: '18446744073709551615' }, usageNanoCores: { value: 7 } };
const stats = {
  attributes: { id: 'c1', metadata: container.metadata, labels, annotations },
  cpu,
  memory: {
    timestamp: createdAt,
    workingSetBytes: { value: 1 },
    usageBytes: { value: 2 },
    rssBytes: { value: 3 },
    pageFaults: { value: 4 },
  },
  writableLayer: usage,
};
const podStats = {
  attributes: { id: 's1', metadata: sandboxMetadata, labels, annotations },
  linux: {
    cpu,
    memory: stats.memory,
    network: { timestamp: createdAt, defaultInterface: { name: 'eth0', rxBytes: { value: 1 } } },
    process: { timestamp: createdAt, processCount: { value: 3 } },
    containers: [stats],
  },
};

/** The names of what the agent writes to a container and reads again. */
export const containerAnnotations = Object.keys(annotations);

/** The status of a container with other annotations, and another state and time. */
export function containerStatusAnswer(changes: { annotations: Record<string, string>; state: string; startedAt: string }): Buffer {
  return encode('ContainerStatusResponse', {
    status: { ...containerStatus, ...changes, annotations: { ...annotations, ...changes.annotations } },
  });
}

/** Valid answers of a runtime by the name of the method, from which random ones are made. */
export const criAnswers = {
  Version: encode('VersionResponse', { version: '0.1.0', runtimeName: 'r', runtimeVersion: '1', runtimeApiVersion: 'v1' }),
  Status: encode('StatusResponse', {
    status: {
      conditions: [
        { type: 'RuntimeReady', status: true },
        { type: 'NetworkReady', reason: 'r', message: 'm' },
      ],
    },
    info: { config: '{}' },
    runtimeHandlers: [{ name: 'runc', features: { userNamespaces: true } }],
    features: { supplementalGroupsPolicy: true },
  }),
  ListPodSandbox: encode('ListPodSandboxResponse', { items: [sandbox, { ...sandbox, id: 's2', state: 1 }] }),
  PodSandboxStatus: encode('PodSandboxStatusResponse', { status: sandboxStatus, info: { pid: '1' } }),
  ListContainers: encode('ListContainersResponse', { containers: [container, { ...container, id: 'c2', podSandboxId: 's2' }] }),
  ContainerStatus: encode('ContainerStatusResponse', { status: containerStatus }),
  ListContainerStats: encode('ListContainerStatsResponse', { stats: [stats] }),
  ListPodSandboxStats: encode('ListPodSandboxStatsResponse', { stats: [podStats] }),
  ListImages: encode('ListImagesResponse', {
    images: [
      { id: 'sha256:1', repoTags: ['nginx:1'], repoDigests: ['nginx@sha256:1'], size: 9, uid: { value: 3 }, username: 'u', spec: image },
    ],
  }),
  ImageFsInfo: encode('ImageFsInfoResponse', { imageFilesystems: [usage], containerFilesystems: [usage] }),
  StopContainer: encode('StopContainerResponse', {}),
  StopPodSandbox: encode('StopPodSandboxResponse', {}),
  Exec: encode('ExecResponse', { url: 'http://[::1]:1/exec/token' }),
  GetContainerEvents: encode('ContainerEventResponse', {
    containerId: 'c1',
    containerEventType: 2,
    createdAt,
    podSandboxStatus: sandboxStatus,
    containersStatuses: [containerStatus],
  }),
} satisfies Record<string, Buffer>;

/** The codes of failed calls: one for each status of gRPC. */
export const criFailures = [
  'CRI_CANCELLED',
  'CRI_UNKNOWN',
  'CRI_INVALID_ARGUMENT',
  'CRI_DEADLINE_EXCEEDED',
  'CRI_NOT_FOUND',
  'CRI_ALREADY_EXISTS',
  'CRI_PERMISSION_DENIED',
  'CRI_RESOURCE_EXHAUSTED',
  'CRI_FAILED_PRECONDITION',
  'CRI_ABORTED',
  'CRI_OUT_OF_RANGE',
  'CRI_UNIMPLEMENTED',
  'CRI_INTERNAL',
  'CRI_UNAVAILABLE',
  'CRI_DATA_LOSS',
  'CRI_UNAUTHENTICATED',
];
