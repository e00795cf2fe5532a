import type { Container, ContainerStatus, PodSandbox, PodSandboxStatus } from '@nodeagent/cri-api';
import { hostImageId } from './host-image.js';
import type { ContainerRecord, SandboxRecord } from './records.js';
import { statusUser } from './user.js';

/** Converts a sandbox for ListPodSandbox. */
export function toSandbox({ id, config, state, createdAt }: SandboxRecord): PodSandbox {
  return {
    id,
    ...(config.metadata && { metadata: config.metadata }),
    state,
    createdAt,
    labels: config.labels ?? {},
    annotations: config.annotations ?? {},
    runtimeHandler: '',
  };
}

/**
 * Converts a sandbox for PodSandboxStatus. The namespaces are those that the pod requested, although all are the machine's: a kubelet
 * replaces a sandbox whose network mode differs from the pod's.
 */
export function toSandboxStatus(record: SandboxRecord): PodSandboxStatus {
  const requested = record.config.linux?.securityContext?.namespaceOptions;
  return {
    ...toSandbox(record),
    network: { ip: record.ip, additionalIps: [] },
    linux: { namespaces: { options: { network: 'POD', pid: 'POD', ipc: 'POD', ...requested } } },
  };
}

/** Converts a container for ListContainers. */
export function toContainer({ id, podSandboxId, config, state, createdAt }: ContainerRecord): Container {
  return {
    id,
    podSandboxId,
    metadata: { name: config.metadata?.name ?? '', attempt: config.metadata?.attempt ?? 0 },
    image: imageOf(config),
    imageRef: hostImageId,
    state,
    createdAt,
    labels: config.labels ?? {},
    annotations: config.annotations ?? {},
    imageId: hostImageId,
  };
}

/** Converts a container for ContainerStatus. */
export function toContainerStatus(record: ContainerRecord): ContainerStatus {
  const { config } = record;
  const stopSignal = config.stopSignal === undefined || config.stopSignal === 'RUNTIME_DEFAULT' ? 'SIGTERM' : config.stopSignal;
  return {
    id: record.id,
    metadata: { name: config.metadata?.name ?? '', attempt: config.metadata?.attempt ?? 0 },
    state: record.state,
    createdAt: record.createdAt,
    startedAt: record.startedAt,
    finishedAt: record.finishedAt,
    exitCode: record.exitCode,
    image: imageOf(config),
    imageRef: hostImageId,
    reason: record.reason,
    message: record.message,
    labels: config.labels ?? {},
    annotations: config.annotations ?? {},
    mounts: config.mounts ?? [],
    logPath: record.logPath,
    ...(config.linux?.resources && { resources: { linux: config.linux.resources } }),
    imageId: hostImageId,
    user: { linux: statusUser(record.user) },
    stopSignal,
  };
}

/** The image name in the pod's spec, if the request has it in addition to the id. */
function imageOf(config: ContainerRecord['config']) {
  return { ...config.image, image: config.image?.userSpecifiedImage || config.image?.image || 'host' };
}
