import type { Container, ContainerStatus, PodSandbox, PodSandboxStatus, RuntimeHandler as RuntimeHandlerMessage } from '@nodeagent/cri-api';
import { stateOf } from './containers/container.js';
import type { RuntimeHandler } from './runtime/runtime-handler.js';
import { stopSignalName } from './spec/stop-signal.js';
import type { ContainerRecord, SandboxRecord } from './state/records.js';

/** Converts an OCI runtime for Status. */
export const toRuntimeHandler = ({ name, machine: { features } }: RuntimeHandler, hasUserNamespaces: boolean): RuntimeHandlerMessage => ({
  name,
  features: { recursiveReadOnlyMounts: features.recursiveReadOnlyMounts, userNamespaces: hasUserNamespaces && features.idMappedMounts },
});

/** Converts a sandbox for ListPodSandbox. */
export function toSandbox({ id, config, state, createdAt, runtimeHandler = '' }: SandboxRecord): PodSandbox {
  return {
    id,
    ...(config.metadata && { metadata: config.metadata }),
    state,
    createdAt,
    labels: config.labels ?? {},
    annotations: config.annotations ?? {},
    runtimeHandler,
  };
}

/** Converts a sandbox for PodSandboxStatus. A pod in the network of the node has no address: the kubelet takes the node's. */
export function toSandboxStatus(record: SandboxRecord): PodSandboxStatus {
  const [ip = '', ...more] = record.ips;
  const requested = record.config.linux?.securityContext?.namespaceOptions;
  return {
    ...toSandbox(record),
    network: { ip, additionalIps: more.map((each) => ({ ip: each })) },
    linux: { namespaces: { options: { network: 'POD', pid: 'POD', ipc: 'POD', ...requested } } },
  };
}

/** Converts a container for ListContainers. */
export function toContainer(record: ContainerRecord): Container {
  const { id, podSandboxId, config, imageId, imageRef, createdAt } = record;
  return {
    id,
    podSandboxId,
    metadata: { name: config.metadata?.name ?? '', attempt: config.metadata?.attempt ?? 0 },
    image: imageOf(record),
    imageRef,
    state: stateOf(record),
    createdAt,
    labels: config.labels ?? {},
    annotations: config.annotations ?? {},
    imageId,
  };
}

/** Converts a container for ContainerStatus. */
export function toContainerStatus(record: ContainerRecord): ContainerStatus {
  const { config, user } = record;
  const { id, metadata, image, imageRef, state, createdAt, labels, annotations, imageId } = toContainer(record);
  const { startedAt, finishedAt, exitCode, reason, message, logPath } = record;
  const isDefault = config.stopSignal === undefined || config.stopSignal === 'RUNTIME_DEFAULT';
  const groups = user.additionalGids.map(BigInt);
  return {
    ...{ id, state, createdAt, startedAt, finishedAt, exitCode, imageRef, reason, message, labels, annotations, logPath, imageId },
    ...(metadata && { metadata }),
    ...(image && { image }),
    mounts: config.mounts ?? [],
    ...(config.linux?.resources && { resources: { linux: config.linux.resources } }),
    user: { linux: { uid: BigInt(user.uid), gid: BigInt(user.gid), supplementalGroups: groups } },
    stopSignal: isDefault ? stopSignalName(record.stopSignal) : (config.stopSignal ?? 'SIGTERM'),
  };
}

/** The image's name in the pod's spec, if the request has it in addition to the ID. */
function imageOf({ config }: ContainerRecord) {
  return { ...config.image, image: config.image?.userSpecifiedImage || config.image?.image || '' };
}
