import type { PodStatus } from '@nodeagent/api';
import { fieldsWith, ruleOf } from '../field-rules.js';
import type { StatusPatch } from './patch-values.js';

const patchedFields = fieldsWith('patch');

/**
 * The strategic merge patch from one status to the other, or undefined if they are equal. It compares only the fields that a kubelet writes:
 * other fields, also those of a newer API server, are kept. Source: Kubernetes API conventions, "Strategic merge
 * patch"; the merge keys of the Pod API: conditions by `type`, addresses by `ip`, lists of containers as a whole.
 */
export function statusPatch(from: PodStatus, to: PodStatus): StatusPatch | undefined {
  const patch: StatusPatch = {};
  const write = <F extends keyof PodStatus>(field: F) => ruleOf(field).patch?.(patch, field, from[field], to[field]);
  patchedFields.forEach(write);
  return Object.keys(patch).length > 0 ? patch : undefined;
}
