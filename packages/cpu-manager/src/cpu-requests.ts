import type { Container, Pod } from '@nodeagent/api';
import { hasPodLevelResources, isSidecar, podQosClass, Quantity } from '@nodeagent/api/helpers';

/**
 * The exclusive CPUs that a container gets: the CPUs that it requests, if that is a whole number and its pod is Guaranteed and has no pod-level
 * resources; else 0, and it runs on the shared pool.
 */
export function exclusiveCpuCount(pod: Pod, container: Container): number {
  const text = container.resources?.requests?.cpu;
  if (text === undefined || podQosClass(pod) !== 'Guaranteed' || hasPodLevelResources(pod)) return 0;
  const milliCpu = Number(Quantity.parse(text).milliValue());
  return milliCpu % 1000 === 0 ? milliCpu / 1000 : 0;
}

/** The largest number of exclusive CPUs that the containers of a pod have at one time: Kubernetes documentation, "Sidecar Containers". */
export function exclusivePodCpuCount(pod: Pod): number {
  let sidecars = 0;
  let duringInit = 0;
  for (const container of pod.spec?.initContainers ?? []) {
    const count = exclusiveCpuCount(pod, container);
    if (isSidecar(container)) sidecars += count;
    else duringInit = Math.max(duringInit, sidecars + count);
  }
  const regular = (pod.spec?.containers ?? []).reduce((sum, container) => sum + exclusiveCpuCount(pod, container), 0);
  return Math.max(duringInit, sidecars + regular);
}

/** The init containers and containers of a pod, in the order in which they are assigned CPUs. */
export function assignableContainers(pod: Pod): Container[] {
  return [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
}
