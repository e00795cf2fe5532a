import type { Pod, PodAdmitResult } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import { admit } from './admit.js';
import type { SavedAllocations } from './allocations.js';
import { canResizePod, type ResizeDecision } from './can-resize-pod.js';
import { nodeResources, usedResources } from './node-resources.js';
import type { AllocationManagerOptions } from './options.js';

/** Decides on pods and resizes by the allocations of the other pods. */
export interface NodeDecisions {
  /** Asks the admit handlers. */
  admit(pod: Pod, operation: 'add' | 'resize'): Promise<PodAdmitResult>;
  /** Whether the node has the resources that the pod requests, and the admit handlers admit them. */
  resize(pod: Pod, allocated: Pod): Promise<ResizeDecision>;
}

export function createNodeDecisions(
  options: AllocationManagerOptions,
  allocations: Pick<SavedAllocations, 'has' | 'apply'>,
  signal: AbortSignal,
): NodeDecisions {
  const { admitHandlers = [] } = options;
  /** A pod that was deleted before its admission starts no container. */
  const usesResources = ({ metadata = {} }: Pod) => metadata.deletionTimestamp === undefined || allocations.has(metadata.uid ?? '');
  const othersOf = (pod: Pod): Pod[] =>
    options
      .activePods()
      .filter((other) => podUid(other) !== podUid(pod) && usesResources(other))
      .map(allocations.apply);

  const ask = async (pod: Pod, operation: 'add' | 'resize'): Promise<PodAdmitResult> =>
    admitHandlers.length === 0 ? { admit: true } : admit(admitHandlers, { pod, otherPods: othersOf(pod), operation }, signal);

  return {
    admit: ask,
    async resize(pod, allocated) {
      const decision = canResizePod({
        pod,
        allocated,
        allocatable: nodeResources(options.nodeAllocatable()),
        used: usedResources(othersOf(pod), options.actuatedPod),
        usesSwap: options.usesSwap,
        cpuManagerPolicy: options.cpuManagerPolicy,
        memoryManagerPolicy: options.memoryManagerPolicy,
      });
      if (!decision.fits) return decision;
      const result = await ask(pod, 'resize');
      if (result.admit) return decision;
      const { reason, message } = result;
      return reason === 'Infeasible'
        ? { fits: false, reason, message, detail: 'admit_handler' }
        : { fits: false, reason: 'Deferred', message };
    },
  };
}
