import type { PodRuntimeStatus, RuntimePod } from '@nodeagent/api';

/** The part of an observed pod that there is to stop: running containers, and every sandbox. */
export function runningPodOf(status: PodRuntimeStatus): RuntimePod {
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

/** UIDs of pods that have a running container or a ready sandbox, or of which that is not known. */
export function* runningPodUids(
  entries: Iterable<[podUid: string, entry: { status: PodRuntimeStatus | undefined; error: unknown }]>,
): Iterable<string> {
  for (const [uid, { status, error }] of entries) {
    const runs =
      status?.containerStatuses.some(({ state }) => state === 'running') || status?.sandboxStatuses.some(({ state }) => state === 'ready');
    if (runs || error !== undefined) yield uid;
  }
}
