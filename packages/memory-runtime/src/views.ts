import type {
  Container,
  ContainerConfig,
  ContainerFilter,
  ContainerStatus,
  PodSandbox,
  PodSandboxFilter,
  PodSandboxMetadata,
  PodSandboxStatus,
  Signal,
} from '@nodeagent/cri-api';
import type { ContainerRecord, SandboxRecord } from './records.js';

/** The list entry of a container. One frozen object until its state changes, so that large listings are cheap. */
export function listedContainer(record: ContainerRecord): Container {
  record.listed ??= Object.freeze({
    id: record.id,
    podSandboxId: record.sandbox.id,
    metadata: containerMetadata(record),
    image: record.config.image ?? {},
    imageRef: record.image.id,
    state: record.state,
    createdAt: record.createdAt,
    labels: record.config.labels ?? {},
    annotations: record.config.annotations ?? {},
    imageId: record.image.id,
  });
  return record.listed;
}

/** The list entry of a sandbox. */
export function listedSandbox(record: SandboxRecord): PodSandbox {
  record.listed ??= Object.freeze({
    id: record.id,
    metadata: sandboxMetadata(record),
    state: record.state,
    createdAt: record.createdAt,
    labels: record.config.labels ?? {},
    annotations: record.config.annotations ?? {},
    runtimeHandler: record.runtimeHandler,
  });
  return record.listed;
}

export function containerStatus(record: ContainerRecord): ContainerStatus {
  const { config, image } = record;
  return {
    id: record.id,
    metadata: containerMetadata(record),
    state: record.state,
    createdAt: record.createdAt,
    startedAt: record.startedAt,
    finishedAt: record.finishedAt,
    exitCode: record.exitCode,
    image: { image: image.repoTags[0] ?? config.image?.image ?? '' },
    imageRef: image.repoDigests[0] ?? image.id,
    reason: record.reason,
    message: record.message,
    labels: config.labels ?? {},
    annotations: config.annotations ?? {},
    mounts: config.mounts ?? [],
    logPath: logPathOf(record),
    ...(record.resources && { resources: { linux: { ...record.resources } } }),
    imageId: image.id,
    user: userOf(record),
    stopSignal: stopSignalOf(record),
  };
}

export function sandboxStatus(record: SandboxRecord): PodSandboxStatus {
  const [ip = '', ...additional] = record.state === 'SANDBOX_READY' ? record.ips : [];
  return {
    id: record.id,
    metadata: sandboxMetadata(record),
    state: record.state,
    createdAt: record.createdAt,
    network: { ip, additionalIps: additional.map((more) => ({ ip: more })) },
    linux: { namespaces: { options: record.config.linux?.securityContext?.namespaceOptions ?? {} } },
    labels: record.config.labels ?? {},
    annotations: record.config.annotations ?? {},
    runtimeHandler: record.runtimeHandler,
  };
}

export function matchesContainer(record: ContainerRecord, filter: ContainerFilter = {}): boolean {
  if (filter.id && filter.id !== record.id) return false;
  if (filter.podSandboxId && filter.podSandboxId !== record.sandbox.id) return false;
  // The first name of the enum is proto3's default: an empty state filter means it.
  if (filter.state && (filter.state.state ?? 'CONTAINER_CREATED') !== record.state) return false;
  return hasLabels(record.config.labels, filter.labelSelector);
}

export function matchesSandbox(record: SandboxRecord, filter: PodSandboxFilter = {}): boolean {
  if (filter.id && filter.id !== record.id) return false;
  if (filter.state && (filter.state.state ?? 'SANDBOX_READY') !== record.state) return false;
  return hasLabels(record.config.labels, filter.labelSelector);
}

export function hasLabels(labels: Record<string, string> = {}, wanted: Record<string, string> = {}): boolean {
  for (const key in wanted) if (labels[key] !== wanted[key]) return false;
  return true;
}

export function sandboxMetadata({ config }: SandboxRecord): PodSandboxMetadata {
  const { name = '', uid = '', namespace = '', attempt = 0 } = config.metadata ?? {};
  return { name, uid, namespace, attempt };
}

export function containerMetadata({ config }: ContainerRecord): { name: string; attempt: number } {
  const { name = '', attempt = 0 } = config.metadata ?? {};
  return { name, attempt };
}

/** The log file's full path; empty if the container has none. */
export function logPathOf({ config, sandbox }: ContainerRecord): string {
  const directory = sandbox.config.logDirectory;
  return directory && config.logPath ? `${directory.replace(/\/$/, '')}/${config.logPath}` : '';
}

export function stopSignalOf({ config: { stopSignal }, program }: ContainerRecord): Signal {
  return stopSignal && stopSignal !== 'RUNTIME_DEFAULT' ? stopSignal : ((program?.image.stopSignal ?? 'SIGTERM') as Signal);
}

/** The termination log's path on the node; undefined if the container has none. */
export function terminationLogOf({ config }: ContainerRecord): string | undefined {
  const path = config.annotations?.['io.kubernetes.container.terminationMessagePath'] ?? '/dev/termination-log';
  return config.mounts?.find(({ containerPath }) => containerPath === path)?.hostPath || undefined;
}

const decoder = new TextDecoder();

export const environmentOf = ({ envs = [] }: ContainerConfig): Record<string, string> =>
  Object.fromEntries(envs.map(({ key, value }) => [key, decoder.decode(value)]));

function userOf({ config }: ContainerRecord): ContainerStatus['user'] {
  const context = config.linux?.securityContext;
  return {
    linux: {
      uid: context?.runAsUser?.value ?? 0n,
      gid: context?.runAsGroup?.value ?? 0n,
      supplementalGroups: [...(context?.supplementalGroups ?? [])],
    },
  };
}
