import type { Container, Pod, ResourceList, ResourceRequirements } from '@nodeagent/api';

/** The resources last applied to running containers, by pod and container name. */
export interface ActuatedResources {
  get(podUid: string, containerName: string): ResourceRequirements | undefined;
  /** Those of the pod's containers; a container from before this agent's start counts as running with what its spec says. */
  ofPod(pod: Pod): Map<string, ResourceRequirements>;
  set(podUid: string, containerName: string, resources: ResourceRequirements): void;
  /** Forgets all pods but these. */
  retain(podUids: ReadonlySet<string>): void;
}

export function createActuatedResources(): ActuatedResources {
  const pods = new Map<string, Map<string, ResourceRequirements>>();
  return {
    get: (uid, name) => pods.get(uid)?.get(name),
    ofPod(pod) {
      const known = pods.get(pod.metadata?.uid ?? '');
      const containers = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
      return new Map(containers.map((container) => [container.name, known?.get(container.name) ?? appliedResources(pod, container)]));
    },
    set(uid, name, resources) {
      const ofPod = pods.get(uid) ?? new Map<string, ResourceRequirements>();
      pods.set(uid, ofPod.set(name, resources));
    },
    retain(podUids) {
      for (const uid of [...pods.keys()]) if (!podUids.has(uid)) pods.delete(uid);
    },
  };
}

/** What is applied when the container starts: its resources, with limits it lacks from the pod-level ones. */
export function appliedResources(pod: Pod, { resources = {} }: Container): ResourceRequirements {
  const { cpu, memory } = pod.spec?.resources?.limits ?? {};
  const limits: ResourceList = { ...(cpu !== undefined && { cpu }), ...(memory !== undefined && { memory }), ...resources.limits };
  return { ...resources, ...(Object.keys(limits).length > 0 && { limits }) };
}
