import { type Container, invalidArgument, type Pod, type ResourceList } from '@nodeagent/api';
import { aggregateContainerRequests, isCriticalPod, isSidecar, podQosClass, Quantity } from '@nodeagent/api/helpers';

const guaranteedScore = -997;
const bestEffortScore = 1000;

/**
 * The `oom_score_adj` of a container: how early the kernel kills it when memory runs out, from -997 (last) to 1000 (first); as in the
 * kubelet more than 1000 if a pod-level request is smaller than the sum of its containers'. The more memory a burstable container requests,
 * the lower its score. `memoryCapacity` is the node's, in bytes. Kubernetes documentation, "Node-pressure eviction: node out of memory
 * behavior".
 */
export function oomScoreAdjust(pod: Pod, container: Container, memoryCapacity: bigint | number): number {
  const capacity = typeof memoryCapacity === 'bigint' || Number.isSafeInteger(memoryCapacity) ? BigInt(memoryCapacity) : 0n;
  if (capacity <= 0n) throw invalidArgument('memoryCapacity', 'a positive integer', memoryCapacity);
  if (isNodeCritical(pod)) return guaranteedScore;
  const qos = podQosClass(pod);
  if (qos === 'Guaranteed') return guaranteedScore;
  if (qos === 'BestEffort') return bestEffortScore;

  const share = podLevelShare(pod);
  const score = (memory: bigint) => Number(1000n - (1000n * (memory + share)) / capacity);
  let adjust = score(memoryRequest(container));
  if (pod.spec?.initContainers?.some((init) => init.name === container.name && isSidecar(init))) {
    adjust = Math.min(adjust, score(smallest((pod.spec.containers ?? []).map(memoryRequest))));
  }
  return adjust === bestEffortScore ? bestEffortScore - 1 : Math.max(adjust, bestEffortScore + guaranteedScore);
}

function isNodeCritical(pod: Pod): boolean {
  return isCriticalPod(pod) && pod.spec?.priorityClassName === 'system-node-critical';
}

const memoryRequest = (container: Container) => memoryOf(container.resources?.requests);

function memoryOf(list: ResourceList | undefined): bigint {
  const memory = list?.memory;
  return memory === undefined ? 0n : Quantity.parse(memory).value();
}

function smallest([first = 0n, ...others]: bigint[]): bigint {
  let min = first;
  for (const value of others) if (value < min) min = value;
  return min;
}

/** The part of the pod-level request beyond the containers' requests, divided evenly among its containers. */
function podLevelShare(pod: Pod): bigint {
  const requests = pod.spec?.resources?.requests;
  if (requests?.memory === undefined) return 0n;
  const own = aggregateContainerRequests(pod).get('memory')?.value() ?? 0n;
  const count = (pod.spec?.containers?.length ?? 0) + (pod.spec?.initContainers?.length ?? 0);
  return count === 0 ? 0n : (memoryOf(requests) - own) / BigInt(count);
}
