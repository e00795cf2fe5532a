import type { PodStatus } from '@nodeagent/api';
import { fieldsWith, ruleOf } from '../field-rules.js';

const comparedFields = fieldsWith('equal');

/**
 * Whether two statuses are equal by the kubelet's rules. It ignores conditions of other writers, the times and generations of the kubelet's
 * conditions, and the statuses of resource claims. It compares quantities by value and times by instant; an empty string, list or map
 * equals an absent one. A pointer field of the API (`started`, `resources`, a container's state) must be present in both or in neither.
 */
export function equalByKubelet(a: PodStatus, b: PodStatus): boolean {
  const isEqual = <F extends keyof PodStatus>(field: F) => ruleOf(field).equal?.(a[field], b[field]) ?? true;
  return a === b || comparedFields.every(isEqual);
}
