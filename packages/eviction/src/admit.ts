import { isCriticalPod, type Pod, type PodAdmitResult, podQosClass, toleratesAny } from '@nodeagent/api';
import type { PressureCondition } from './signals.js';

/** Why a pod was evicted, or not admitted because others may have to be. */
export const evictedReason = 'Evicted';

const memoryPressureTaint = { key: 'node.kubernetes.io/memory-pressure', effect: 'NoSchedule' };

/**
 * Whether a node under pressure takes the pod. Critical pods always; under nothing but memory pressure also those that request
 * something, or tolerate the taint `node.kubernetes.io/memory-pressure`. Kubernetes documentation, "Node-pressure Eviction".
 */
export function admitUnderPressure(pod: Pod, conditions: readonly PressureCondition[]): PodAdmitResult {
  if (conditions.length === 0 || isCriticalPod(pod)) return { admit: true };
  const memoryOnly = conditions.every((condition) => condition === 'MemoryPressure');
  if (memoryOnly && (podQosClass(pod) !== 'BestEffort' || toleratesAny(pod.spec?.tolerations, memoryPressureTaint))) return { admit: true };
  return { admit: false, reason: evictedReason, message: `The node had condition: [${conditions.join(' ')}]. ` };
}
