import { isIP } from 'node:net';
import type { PodRuntimeStatus, ResourceRequirements, RuntimeContainerStatus, RuntimePod, RuntimeSandboxStatus } from '@nodeagent/api';
import type { PodSandboxNetworkStatus } from '@nodeagent/cri-api';
import { toContainerStatus, toSandboxStatus } from './container-status.js';
import { invalidAnswer, isNotFound } from './cri-calls.js';
import type { CriRuntime } from './cri-runtime.js';
import type { PodFiles } from './files.js';
import { labels } from './labels.js';
import { newestSandbox } from './listing.js';
import { terminationMessage } from './termination-message.js';

export interface PodStatusSources {
  cri: CriRuntime;
  files: PodFiles;
  /** Resources last applied to a container. */
  actuated(podUid: string, containerName: string): ResourceRequirements | undefined;
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
  for (const { id, name, podSandboxId } of pod.containers) {
    const status = await unlessNotFound(cri.containerStatus({ containerId: id }, options), 'ContainerStatus');
    if (status === undefined) continue;
    const actuated = sources.actuated(pod.uid, name);
    const message = status.state === 'CONTAINER_EXITED' ? await readMessage(status, sources.files) : '';
    containerStatuses.push({ ...toContainerStatus(status, { ...(actuated && { actuated }), terminationMessage: message }), podSandboxId });
  }
  containerStatuses.sort((a, b) => (a.createdAt === b.createdAt ? 0 : a.createdAt > b.createdAt ? -1 : 1));

  const [newest] = sandboxStatuses;
  const activeSandbox = newest?.state === 'ready' ? newest.id : undefined;
  return {
    uid: pod.uid,
    name: pod.name,
    namespace: pod.namespace,
    ips,
    sandboxStatuses,
    containerStatuses,
    activeContainerStatuses: containerStatuses.filter(({ podSandboxId }) => podSandboxId === activeSandbox),
  };
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
  if (!network) return [];
  const ips = network.ip === '' ? [] : [network.ip, ...(network.additionalIps ?? []).map(({ ip }) => ip)];
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
