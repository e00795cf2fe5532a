import type { PodRuntimeStatus, RuntimeContainer, RuntimeContainerState, RuntimePod } from '@nodeagent/api';

/** An empty runtime status of a pod, with these fields. */
export function runtimeStatus(uid: string, fields: Partial<PodRuntimeStatus> = {}): PodRuntimeStatus {
  return {
    uid,
    name: '',
    namespace: '',
    ips: [],
    containerStatuses: [],
    activeContainerStatuses: [],
    sandboxStatuses: [],
    ...fields,
  };
}

/** A container in a listing; its name is its id. */
export function runtimeContainer(id: string, state: RuntimeContainerState): RuntimeContainer {
  return { id, name: id, state, createdAt: 0n, image: '', imageId: '', imageRef: '', hash: '', podSandboxId: '' };
}

/** A pod in a listing, with containers in these states by id. */
export function runtimePod(uid: string, states: Readonly<Record<string, RuntimeContainerState>> = {}): RuntimePod {
  const containers = Object.entries(states).map(([id, state]) => runtimeContainer(id, state));
  return { uid, name: uid, namespace: 'compliance', containers, sandboxes: [] };
}
