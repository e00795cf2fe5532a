import type { NodeAgentError } from '@nodeagent/api';
import type { AdmissionRequest } from '../access/admission-request.js';
import { forbidden } from '../status.js';

/** The error of a write that a plugin refuses: 403, with the resource and the name. */
export function refused({ group, resource, name }: AdmissionRequest, why: string): NodeAgentError {
  return forbidden({ kind: resource, name, ...(group && { group }) }, why);
}

/** Several reasons in one message. */
export const listed = (reasons: readonly string[]): string => (reasons.length === 1 ? (reasons[0] ?? '') : `[${reasons.join(', ')}]`);
