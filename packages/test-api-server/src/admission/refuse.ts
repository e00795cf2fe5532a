import { type ApiStatus, apiStatusError, type NodeAgentError } from '@nodeagent/api';
import type { AdmissionRequest } from '../access/admission-request.js';
import { forbidden } from '../status.js';

/** The error of a write that a plugin refuses: 403, with the resource and the name. */
export function refused({ group, resource, name }: AdmissionRequest, why: string): NodeAgentError {
  return forbidden({ kind: resource, name, ...(group && { group }) }, why);
}

/** Several reasons in one message. */
export const listed = (reasons: readonly string[]): string => (reasons.length === 1 ? (reasons[0] ?? '') : `[${reasons.join(', ')}]`);

const codes: Readonly<Record<string, number>> = { Unauthorized: 401, Forbidden: 403, RequestEntityTooLarge: 413, Invalid: 422 };

/** As {@link refused}, with another reason and its code. */
export function refusedBecause({ group, resource, name }: AdmissionRequest, why: string, reason: string): NodeAgentError {
  const what = `${group ? `${resource}.${group}` : resource} ${JSON.stringify(name)}`;
  const subject = { kind: resource, name, ...(group && { group }) };
  const status: ApiStatus & { subject: object } = {
    code: codes[reason] ?? 422,
    reason,
    message: `${what} is forbidden: ${why}`,
    causes: [{ message: why }],
    subject,
  };
  return apiStatusError(status);
}
