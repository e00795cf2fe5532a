import type { Pod, PodStatus } from '@nodeagent/api';
import { fieldsWith, ruleOf } from '../field-rules.js';

const normalizedFields = fieldsWith('normalize');

/**
 * Normalises a status to the form in which the API server stores it, for comparison: times in whole seconds and UTC, truncated termination
 * messages, sorted containers. Idempotent. Returns `status` itself if it is already normal.
 */
export function normalizeStatus(pod: Pod, status: PodStatus): PodStatus {
  let normal: PodStatus | undefined;
  const normalize = <F extends keyof PodStatus>(field: F) => {
    const value = status[field];
    if (!value) return;
    const normalized = ruleOf(field).normalize?.(value, pod) ?? value;
    if (normalized === value) return;
    normal ??= { ...status };
    normal[field] = normalized;
  };
  normalizedFields.forEach(normalize);
  return normal ?? status;
}
