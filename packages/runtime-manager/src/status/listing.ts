import type { RuntimeContainer, RuntimeContainerState, RuntimePod } from '@nodeagent/api';
import { configSourceAnnotation } from '@nodeagent/api/helpers';
import type { Container, ContainerState, PodSandbox } from '@nodeagent/cri-api';
import { hashFromAnnotations, identityFromLabels, labels } from '../config/labels.js';
import type { CriRuntime } from '../cri/methods.js';

/** Converts a container's CRI state to the state of the `Runtime` contract. */
export function toContainerState(state: ContainerState): RuntimeContainerState {
  switch (state) {
    case 'CONTAINER_CREATED':
      return 'created';
    case 'CONTAINER_RUNNING':
      return 'running';
    case 'CONTAINER_EXITED':
      return 'exited';
    default:
      return 'unknown';
  }
}

/**
 * Lists sandboxes, then containers, and groups them by pod; with `uid` only that pod's. `all` includes those that do not run.
 */
export async function listPods(cri: CriRuntime, { all, uid }: { all: boolean; uid?: string }, signal?: AbortSignal): Promise<RuntimePod[]> {
  const labelSelector = uid === undefined ? {} : { labelSelector: { [labels.podUid]: uid } };
  const options = signal ? { signal } : {};
  const { items } = await cri.listPodSandbox({ filter: { ...labelSelector, ...(!all && { state: { state: 'SANDBOX_READY' } }) } }, options);
  const { containers } = await cri.listContainers(
    { filter: { ...labelSelector, ...(!all && { state: { state: 'CONTAINER_RUNNING' } }) } },
    options,
  );
  return podsFromListing(items, containers);
}

/** Pods with their sandboxes, highest attempt first, and containers, newest first. Skips sandboxes and containers without pod labels. */
export function podsFromListing(sandboxes: readonly PodSandbox[], containers: readonly Container[]): RuntimePod[] {
  const pods = new Map<string, RuntimePod>();
  const podOf = ({ uid, name, namespace }: Pick<RuntimePod, 'uid' | 'name' | 'namespace'>): RuntimePod => {
    const known = pods.get(uid);
    if (known !== undefined) return known;
    const pod: RuntimePod = { uid, name, namespace, containers: [], sandboxes: [] };
    pods.set(uid, pod);
    return pod;
  };
  for (const sandbox of [...sandboxes].sort(bySandboxOrder)) {
    const { metadata } = sandbox;
    if (metadata === undefined || metadata === null) continue;
    const pod = podOf(metadata);
    const source = sandbox.annotations[configSourceAnnotation];
    if (source !== undefined) pod.configSource ??= source;
    pod.sandboxes.push(fromSandbox(sandbox));
  }
  for (const container of [...containers].sort(byContainerOrder)) {
    if (!container.metadata || !container.image || container.id === '') continue;
    podOf(identityFromLabels(container.labels)).containers.push(fromContainer(container));
  }
  return [...pods.values()];
}

/** The sandbox of the highest attempt; undefined if there is none. */
export function newestSandbox(sandboxes: readonly PodSandbox[]): PodSandbox | undefined {
  return [...sandboxes].sort(bySandboxOrder)[0];
}

function bySandboxOrder(a: PodSandbox, b: PodSandbox): number {
  return (b.metadata?.attempt ?? 0) - (a.metadata?.attempt ?? 0) || byContainerOrder(a, b);
}

function byContainerOrder(a: { createdAt: bigint; id: string }, b: { createdAt: bigint; id: string }): number {
  if (a.createdAt !== b.createdAt) return a.createdAt > b.createdAt ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

function fromSandbox({ id, state, createdAt }: PodSandbox): RuntimeContainer {
  return {
    id,
    name: '',
    state: state === 'SANDBOX_READY' ? 'running' : 'exited',
    createdAt,
    image: '',
    imageId: '',
    imageRef: '',
    hash: '',
    podSandboxId: id,
  };
}

function fromContainer(container: Container): RuntimeContainer {
  return {
    id: container.id,
    name: container.labels[labels.containerName] ?? '',
    state: toContainerState(container.state),
    createdAt: container.createdAt,
    image: container.image?.image ?? '',
    imageId: container.imageId || container.imageRef,
    imageRef: container.imageRef,
    hash: hashFromAnnotations(container.annotations),
    podSandboxId: container.podSandboxId,
  };
}
