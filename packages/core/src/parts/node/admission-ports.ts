import type { NodeAdmissionOptions } from '@nodeagent/pod-admission';
import type { Components } from '../../components.js';

/** How admission makes room for critical pods, and assigns CPUs, memory and devices to admitted ones. */
export function admissionPorts(c: Components): Required<Pick<NodeAdmissionOptions, 'preemptPod' | 'allocateResources'>> {
  return {
    preemptPod: (pod, podStatusFunc, signal) => c.podWorkers.killPodNow(pod, { evict: true, podStatusFunc, ...(signal && { signal }) }),
    allocateResources: { admit: (attributes) => c.resourceManagers?.admitHandler.admit(attributes) ?? { admit: true } },
  };
}
