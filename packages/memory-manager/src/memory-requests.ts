import type { Container, Pod } from '@nodeagent/api';
import { aggregateContainerRequests, hasPodLevelResources, parseResourceList, podQosClass } from '@nodeagent/api/helpers';
import { isMemoryType } from './machine-memory.js';

/** Requested bytes by type of memory. */
export type MemoryRequests = Readonly<Record<string, number>>;

/** Whether the static policy assigns memory to the pod: it is `Guaranteed`, and sets no resources for the pod as a whole. */
export function isMemoryPinned(pod: Pod): boolean {
  return podQosClass(pod) === 'Guaranteed' && !hasPodLevelResources(pod);
}

/** What one container requests. */
export function containerMemoryRequests(container: Container): MemoryRequests {
  return memoryTypes(parseResourceList(container.resources?.requests));
}

/** What the containers of a pod request together. A type that only init containers request does not count, as in the kubelet. */
export function podMemoryRequests(pod: Pod): MemoryRequests {
  const counted = new Set((pod.spec?.containers ?? []).flatMap((container) => Object.keys(containerMemoryRequests(container))));
  return Object.fromEntries(Object.entries(memoryTypes(aggregateContainerRequests(pod))).filter(([type]) => counted.has(type)));
}

function memoryTypes(requests: ReturnType<typeof parseResourceList>): MemoryRequests {
  const types = [...requests].filter(([type]) => isMemoryType(type));
  return Object.fromEntries(types.map(([type, amount]) => [type, Number(amount.value())]));
}
