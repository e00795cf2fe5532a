import type { ResourceRequirements, RuntimeContainerResources, RuntimeContainerStatus, RuntimeSandboxStatus } from '@nodeagent/api';
import type { ContainerStatus, ContainerUser, LinuxContainerResources, PodSandboxStatus } from '@nodeagent/cri-api';
import { hashFromAnnotations, labels, restartCountFromAnnotations } from '../config/labels.js';
import { resourceValues } from '../decide/resource-values.js';
import { quotaToMilliCpu, sharesToMilliCpu } from './cri-cpu.js';
import { toContainerState } from './listing.js';

/** Converts a sandbox's CRI status to the type of the `Runtime` contract. */
export function toSandboxStatus(status: PodSandboxStatus): RuntimeSandboxStatus {
  const { network } = status;
  return {
    id: status.id,
    attempt: status.metadata?.attempt ?? 0,
    state: status.state === 'SANDBOX_READY' ? 'ready' : 'notReady',
    createdAt: status.createdAt,
    networkMode: status.linux?.namespaces?.options?.network === 'NODE' ? 'NODE' : 'POD',
    ...(network && { network: { ip: network.ip, additionalIps: (network.additionalIps ?? []).map(({ ip }) => ip) } }),
    runtimeHandler: status.runtimeHandler,
  };
}

/**
 * Converts a container's CRI status to the type of the `Runtime` contract. `actuated` are the resources last applied: the CRI does not
 * report all of them. `terminationMessage` is the container's termination message.
 */
export function toContainerStatus(
  status: ContainerStatus,
  { actuated, terminationMessage = '' }: { actuated?: ResourceRequirements; terminationMessage?: string } = {},
): RuntimeContainerStatus {
  const state = toContainerState(status.state);
  const exited = state === 'exited';
  const resources = containerResources(status.resources?.linux, actuated);
  const user = containerUser(status.user);
  return {
    id: status.id,
    name: status.labels[labels.containerName] ?? '',
    state,
    createdAt: status.createdAt,
    ...(state !== 'created' && { startedAt: status.startedAt }),
    ...(exited && { finishedAt: status.finishedAt }),
    exitCode: exited ? status.exitCode : 0,
    image: status.image?.image ?? '',
    imageId: status.imageId || status.imageRef,
    imageRef: status.imageRef,
    hash: hashFromAnnotations(status.annotations),
    restartCount: restartCountFromAnnotations(status.annotations),
    reason: exited ? status.reason : '',
    message: exited ? joinMessages(status.message, terminationMessage) : '',
    podSandboxId: '',
    ...(resources && { resources }),
    ...(user && { user }),
    ...(status.stopSignal && status.stopSignal !== 'RUNTIME_DEFAULT' && { stopSignal: status.stopSignal }),
  };
}

function joinMessages(message: string, terminationMessage: string): string {
  return message !== '' && terminationMessage !== '' ? `${message}: ${terminationMessage}` : message || terminationMessage;
}

function containerResources(
  linux: LinuxContainerResources | undefined,
  actuated: ResourceRequirements | undefined,
): RuntimeContainerResources | undefined {
  const { cpuShares = 0n, cpuQuota = 0n, cpuPeriod = 0n, memoryLimitInBytes = 0n } = linux ?? {};
  const reported: RuntimeContainerResources = {};
  const request = cpuShares > 0n ? sharesToMilliCpu(Number(cpuShares)) : 0;
  if (request > 0) reported.cpuRequest = request;
  const limit = cpuQuota > 0n && cpuPeriod > 0n ? quotaToMilliCpu(Number(cpuQuota), Number(cpuPeriod)) : 0;
  if (limit > 0) reported.cpuLimit = limit;
  if (memoryLimitInBytes > 0n) reported.memoryLimit = memoryLimitInBytes;

  const applied = actuated && resourceValues(actuated);
  if (applied === undefined) return Object.keys(reported).length > 0 ? reported : undefined;
  if (linux === undefined || linux === null) {
    if (applied.cpuRequest > 0n) reported.cpuRequest = Number(applied.cpuRequest);
    if (applied.cpuLimit > 0n) reported.cpuLimit = Number(applied.cpuLimit);
    if (applied.memoryLimit > 0n) reported.memoryLimit = applied.memoryLimit;
  }
  if (applied.memoryRequest > 0n) reported.memoryRequest = applied.memoryRequest;
  return Object.keys(reported).length > 0 ? reported : undefined;
}

function containerUser(user: ContainerUser | undefined): RuntimeContainerStatus['user'] {
  const linux = user?.linux;
  if (!linux) return undefined;
  return { uid: Number(linux.uid), gid: Number(linux.gid), supplementalGroups: (linux.supplementalGroups ?? []).map(Number) };
}
