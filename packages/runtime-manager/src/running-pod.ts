import type { PodRuntimeStatus, RuntimePod } from '@nodeagent/api';

/**
 * The running containers and all sandboxes of an observed pod. The kubelet's `ConvertPodStatusToRunningPod`.
 */
export function convertPodStatusToRunningPod(status: PodRuntimeStatus): RuntimePod {
  return {
    uid: status.uid,
    name: status.name,
    namespace: status.namespace,
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
