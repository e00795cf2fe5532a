import type { Pod, PodAdmitResult } from '@nodeagent/api';
import { isCriticalPod, podQosClass, toleratesAny } from '@nodeagent/api/helpers';
import type { PressureCondition } from './signals.js';

/** Reason of evicted pods, and of pods that are not admitted under node pressure. */
export const evictedReason = 'Evicted';

const memoryPressureTaint = { key: 'node.kubernetes.io/memory-pressure', effect: 'NoSchedule' };

/**
 * Whether a node under pressure admits the pod. Critical pods are always admitted; under memory pressure alone also pods that are not
 * best-effort, and pods that tolerate the taint `node.kubernetes.io/memory-pressure`. Kubernetes documentation, "Node-pressure Eviction".
 */
export function admitUnderPressure(pod: Pod, conditions: readonly PressureCondition[]): PodAdmitResult {
  if (conditions.length === 0 || isCriticalPod(pod)) return { admit: true };
  const memoryOnly = conditions.every((condition) => condition === 'MemoryPressure');
  if (memoryOnly && (podQosClass(pod) !== 'BestEffort' || toleratesAny(pod.spec?.tolerations, memoryPressureTaint))) return { admit: true };
  return { admit: false, reason: evictedReason, message: `The node had condition: [${conditions.join(' ')}]. ` };
}
