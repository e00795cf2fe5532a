import type { PodRuntimeStatus, RuntimePod } from '@nodeagent/api';

/** The part of an observed pod that there is to stop: running containers, and every sandbox. */
export function runningPodOf(status: PodRuntimeStatus): RuntimePod {
  return {
    uid: status.uid,
    name: status.name,
    namespace: status.namespace,
    timestamp: status.timestamp,
    containers: status.containerStatuses
      .filter(({ state }) => state === 'running')
      .map(({ id, name, state, createdAt, image, imageId, imageRef, hash, podSandboxId }) => ({
        id,
        name,
        state,
        createdAt,
        image,
        imageId,
        imageRef,
        hash,
        podSandboxId,
      })),
    sandboxes: status.sandboxStatuses.map(({ id, state, createdAt }) => ({
      id,
      name: '',
      state: state === 'ready' ? 'running' : 'exited',
      createdAt,
      image: '',
      imageId: '',
      imageRef: '',
      hash: '',
      podSandboxId: '',
    })),
  };
}
