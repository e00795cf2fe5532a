import type { PodRuntimeStatus, RuntimePod } from '@nodeagent/api';

/** The containers and sandboxes of a pod's status, as a listing has them. */
export function convertPodStatusToPod(status: PodRuntimeStatus): RuntimePod {
  return {
    uid: status.uid,
    name: status.name,
    namespace: status.namespace,
    containers: status.containerStatuses.map(({ id, name, state, createdAt, image, imageId, imageRef, hash, podSandboxId }) => ({
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

/**
 * The running containers and all sandboxes of an observed pod. The kubelet's `ConvertPodStatusToRunningPod`.
 */
export function convertPodStatusToRunningPod(status: PodRuntimeStatus): RuntimePod {
  const pod = convertPodStatusToPod(status);
  return { ...pod, containers: pod.containers.filter(({ state }) => state === 'running') };
}
