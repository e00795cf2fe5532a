import type {
  PodIdentity,
  PodRuntimeStatus,
  ResourceRequirements,
  RuntimeChange,
  RuntimeContainerStatus,
  RuntimePod,
  RuntimeSandboxStatus,
} from '@nodeagent/api';
import { isIP } from '@nodeagent/api/helpers';
import type { ContainerStatus, PodSandboxNetworkStatus } from '@nodeagent/cri-api';
import { identityFromLabels, labels } from '../config/labels.js';
import { invalidAnswer, isNotFound } from '../cri/call-errors.js';
import type { CriRuntime } from '../cri/methods.js';
import type { PodFiles } from '../files.js';
import { type ContainerLogs, containerLogs } from './container-logs.js';
import { toContainerStatus, toSandboxStatus } from './container-status.js';
import { newestSandbox } from './listing.js';
import { terminationMessage } from './termination-message.js';

export interface PodStatusSources {
  cri: CriRuntime;
  files: PodFiles;
  /** Resources last applied to a container. */
  actuated(podUid: string, containerName: string): ResourceRequirements | undefined;
  /** Receives the logs of each container that is read, by container id. */
  logs: Map<string, ContainerLogs>;
}

/** The status of a listed pod's sandboxes and containers. Skips those that were removed since the listing; other errors reject. */
export async function readPodStatus(sources: PodStatusSources, pod: RuntimePod, signal?: AbortSignal): Promise<PodRuntimeStatus> {
  const { cri } = sources;
  const options = signal ? { signal } : {};
  const sandboxStatuses: RuntimeSandboxStatus[] = [];
  let ips: string[] = [];
  for (const [index, { id }] of pod.sandboxes.entries()) {
    const status = await unlessNotFound(cri.podSandboxStatus({ podSandboxId: id }, options), 'PodSandboxStatus');
    if (status === undefined) continue;
    sandboxStatuses.push(toSandboxStatus(status));
    if (index === 0 && status.state === 'SANDBOX_READY') ips = sandboxIps(status.network);
  }
  const containerStatuses: RuntimeContainerStatus[] = [];
  for (const { id, podSandboxId } of pod.containers) {
    const status = await unlessNotFound(cri.containerStatus({ containerId: id }, options), 'ContainerStatus');
    if (status !== undefined) containerStatuses.push(await readContainer(sources, pod.uid, podSandboxId, status));
  }
  return withActiveContainers({ uid: pod.uid, name: pod.name, namespace: pod.namespace, ips, sandboxStatuses, containerStatuses });
}

/** As `InspectableRuntime.inspectChanges`; with nothing left, a status without containers and sandboxes. Errors but NotFound reject. */
export async function readChanges(
  sources: PodStatusSources,
  podUid: string,
  known: PodRuntimeStatus | undefined,
  changes: readonly RuntimeChange[],
  signal?: AbortSignal,
): Promise<PodRuntimeStatus> {
  const { cri } = sources;
  const options = signal ? { signal } : {};
  const changed = new Set(changes.map(({ id }) => id));
  const sandboxStatuses = known?.sandboxStatuses.filter(({ id }) => !changed.has(id)) ?? [];
  const removed = new Set(changes.filter((change) => change.removed).map(({ id }) => id));
  const containerStatuses = known?.containerStatuses.filter(({ id, podSandboxId }) => !changed.has(id) && !removed.has(podSandboxId)) ?? [];
  let identity: PodIdentity = { uid: podUid, name: known?.name ?? '', namespace: known?.namespace ?? '' };

  for (const { id = '', podSandboxId, sandbox } of changes) {
    if (removed.has(id)) continue;
    if (sandbox !== undefined) {
      const { status, ...pod } = sandbox;
      sandboxStatuses.push(status);
      identity = pod;
      continue;
    }
    const container = known?.containerStatuses.find((status) => status.id === id);
    if (container === undefined && (podSandboxId === undefined || podSandboxId === id)) {
      const status = await unlessNotFound(cri.podSandboxStatus({ podSandboxId: id }, options), 'PodSandboxStatus');
      if (status === undefined) continue;
      sandboxStatuses.push(toSandboxStatus(status));
      const { name, namespace } = status.metadata ?? identity;
      identity = { uid: podUid, name, namespace };
    } else {
      const status = await unlessNotFound(cri.containerStatus({ containerId: id }, options), 'ContainerStatus');
      if (status === undefined) continue;
      containerStatuses.push(await readContainer(sources, podUid, container?.podSandboxId ?? podSandboxId ?? '', status));
      if (identity.name === '') identity = { ...identityFromLabels(status.labels), uid: podUid };
    }
  }
  sandboxStatuses.sort(bySandboxOrder);
  return withActiveContainers({ ...identity, ips: readyIps(sandboxStatuses[0]), sandboxStatuses, containerStatuses });
}

async function readContainer(
  { actuated, files, logs }: PodStatusSources,
  podUid: string,
  podSandboxId: string,
  status: ContainerStatus,
): Promise<RuntimeContainerStatus> {
  logs.set(status.id, containerLogs(status));
  const resources = actuated(podUid, status.labels[labels.containerName] ?? '');
  const terminationMessage = status.state === 'CONTAINER_EXITED' ? await readMessage(status, files) : '';
  return { ...toContainerStatus(status, { actuated: resources, terminationMessage }), podSandboxId };
}

function withActiveContainers(status: Omit<PodRuntimeStatus, 'activeContainerStatuses'>): PodRuntimeStatus {
  const { containerStatuses, sandboxStatuses } = status;
  containerStatuses.sort((a, b) => (a.createdAt === b.createdAt ? 0 : a.createdAt > b.createdAt ? -1 : 1));
  const [newest] = sandboxStatuses;
  const activeSandbox = newest?.state === 'ready' ? newest.id : undefined;
  return { ...status, activeContainerStatuses: containerStatuses.filter(({ podSandboxId }) => podSandboxId === activeSandbox) };
}

/** Highest attempt first, then newest first. */
function bySandboxOrder(a: RuntimeSandboxStatus, b: RuntimeSandboxStatus): number {
  return b.attempt - a.attempt || (a.createdAt === b.createdAt ? 0 : a.createdAt > b.createdAt ? -1 : 1);
}

function readyIps(sandbox: RuntimeSandboxStatus | undefined): string[] {
  const { network } = sandbox ?? {};
  if (sandbox?.state !== 'ready' || network === undefined) return [];
  return validIps(network.ip, network.additionalIps);
}

async function unlessNotFound<T>(answer: Promise<{ status?: T }>, call: string): Promise<T | undefined> {
  try {
    const { status } = await answer;
    if (!status) throw invalidAnswer(call, 'status');
    return status;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** If the message cannot be read, returns the error instead: the status is still useful without the message. */
async function readMessage(...args: Parameters<typeof terminationMessage>): Promise<string> {
  try {
    return await terminationMessage(...args);
  } catch (error) {
    return `Error reading termination log: ${error instanceof Error ? error.message : error}`;
  }
}

/** A sandbox's IP addresses, the primary one first; none if one of them is invalid. */
export function sandboxIps(network: PodSandboxNetworkStatus | undefined): string[] {
  return network
    ? validIps(
        network.ip,
        (network.additionalIps ?? []).map(({ ip }) => ip),
      )
    : [];
}

function validIps(primary: string, additional: readonly string[]): string[] {
  const ips = primary === '' ? [] : [primary, ...additional];
  return ips.every((ip) => isIP(ip) !== 0) ? ips : [];
}

/** A pod's current primary IP address, from the runtime. */
export async function currentPodIp({ cri }: Pick<PodStatusSources, 'cri'>, uid: string): Promise<string | undefined> {
  const { items } = await cri.listPodSandbox({ filter: { labelSelector: { [labels.podUid]: uid }, state: { state: 'SANDBOX_READY' } } });
  const newest = newestSandbox(items);
  if (newest === undefined) return undefined;
  const { status } = await cri.podSandboxStatus({ podSandboxId: newest.id });
  return sandboxIps(status?.network)[0];
}
