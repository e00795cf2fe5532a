import type { Container } from '../objects/container.js';
import type { ObjectReference } from '../objects/meta.js';
import type { Pod } from '../objects/pod.js';

/** Which source a pod came from: `file`, `http` or `api`. */
export const configSourceAnnotation = 'kubernetes.io/config.source';
/** When the agent first saw the pod. */
export const configSeenAnnotation = 'kubernetes.io/config.seen';
/** A static pod's config hash. */
export const configHashAnnotation = 'kubernetes.io/config.hash';
/** Marks a mirror pod; its value is the static pod's config hash. */
export const configMirrorAnnotation = 'kubernetes.io/config.mirror';

/** Priority from which a pod is critical: the value of `system-cluster-critical`. */
export const systemCriticalPriority = 2_000_000_000;

/** A pod's UID; empty for a pod that has none yet. */
export function podUid(pod: Pod): string {
  return pod.metadata?.uid ?? '';
}

/** `<name>_<namespace>`: unique among the pods of a node at any time, but not over time. */
export function podFullName(pod: Pod): string {
  return `${pod.metadata?.name ?? ''}_${pod.metadata?.namespace ?? ''}`;
}

/** `<name>_<namespace>(<uid>)`: how messages name a pod. */
export function formatPod(pod: Pod): string {
  return `${podFullName(pod)}(${podUid(pod)})`;
}

/** `<namespace>/<name>`: the pod's name in logs, from its object or from a runtime's listing. Only the name if there is no namespace. */
export function podKey(pod: Pick<Pod, 'metadata'> | { namespace: string; name: string }): string {
  const { namespace = '', name = '' } = 'name' in pod ? pod : (pod.metadata ?? {});
  return namespace === '' ? name : `${namespace}/${name}`;
}

/** A pod that comes from a file or URL on the node and not from the API server. */
export function isStaticPod(pod: Pod): boolean {
  const source = pod.metadata?.annotations?.[configSourceAnnotation];
  return source !== undefined && source !== 'api';
}

/** The API server's read-only copy of a static pod. */
export function isMirrorPod(pod: Pod): boolean {
  return pod.metadata?.annotations?.[configMirrorAnnotation] !== undefined;
}

/** Whether the mirror pod represents this version of the static pod: same name, namespace and config hash. */
export function isMirrorPodOf(mirrorPod: Pod, pod: Pod): boolean {
  const hash = mirrorPod.metadata?.annotations?.[configMirrorAnnotation];
  if (hash === undefined || podFullName(mirrorPod) !== podFullName(pod)) return false;
  return hash === (pod.metadata?.annotations?.[configHashAnnotation] ?? '');
}

/** Static, mirror and system-critical pods: admitted and kept before others. */
export function isCriticalPod(pod: Pod): boolean {
  return isStaticPod(pod) || isMirrorPod(pod) || (pod.spec?.priority ?? 0) >= systemCriticalPriority;
}

/** Whether the phase is one that a pod never leaves. */
export function isTerminalPhase(phase: string | undefined): boolean {
  return phase === 'Failed' || phase === 'Succeeded';
}

/** An init container that keeps running beside the regular ones: a sidecar (KEP-753). */
export function isSidecar(initContainer: Container): boolean {
  return initContainer.restartPolicy === 'Always';
}

/** All containers with the field of the pod spec that contains them: init, regular, ephemeral, in this order. */
export function* podContainers(
  pod: Pod,
): Generator<{ field: 'initContainers' | 'containers' | 'ephemeralContainers'; container: Container }> {
  for (const field of ['initContainers', 'containers', 'ephemeralContainers'] as const) {
    for (const container of pod.spec?.[field] ?? []) yield { field, container };
  }
}

/** The container of that name among init, regular and ephemeral ones. */
export function findContainer(pod: Pod, name: string): Container | undefined {
  for (const { container } of podContainers(pod)) if (container.name === name) return container;
  return undefined;
}

/** The `involvedObject` of an event about the pod. */
export function podReference(pod: Pod): ObjectReference {
  const { namespace, name, uid, resourceVersion } = pod.metadata ?? {};
  return { apiVersion: 'v1', kind: 'Pod', namespace, name, uid, ...(resourceVersion && { resourceVersion }) };
}

/** The `involvedObject` of an event about one container: the pod, with a field path such as `spec.containers{web}`. */
export function containerReference(pod: Pod, containerName: string): ObjectReference {
  for (const { field, container } of podContainers(pod)) {
    if (container.name === containerName) return { ...podReference(pod), fieldPath: `spec.${field}{${containerName}}` };
  }
  return podReference(pod);
}
