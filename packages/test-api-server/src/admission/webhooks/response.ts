import { apiStatusError, type NodeAgentError } from '@nodeagent/api';
import { isObject } from '@nodeagent/api/helpers';
import type { StatusCause } from '../../status.js';

/** The checked response of a webhook. */
export interface WebhookResponse {
  allowed: boolean;
  result?: { code?: number; message?: string; reason?: string; details?: { causes?: StatusCause[] } };
  /** The operations of a JSON Patch. */
  patch?: unknown;
  warnings: readonly string[];
  auditAnnotations: Readonly<Record<string, string>>;
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** Checks the answer to a review. Throws an error with the reason if it is invalid: Kubernetes documentation, "Webhook request and response". */
export function readResponse(answer: Record<string, unknown>, uid: string, isMutating: boolean): WebhookResponse {
  const problem = (why: string) => new Error(`received invalid webhook response: ${why}`);
  const { apiVersion, kind, response } = answer;
  if (apiVersion !== 'admission.k8s.io/v1' || kind !== 'AdmissionReview') {
    const got = `${isText(apiVersion) ? apiVersion : ''}, Kind=${isText(kind) ? kind : ''}`;
    throw problem(`expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${got}`);
  }
  if (!isObject(response)) throw problem('webhook response was absent');
  if (response.uid !== uid) throw problem(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? '')}`);
  const { allowed, status, patch, patchType, warnings, auditAnnotations } = response;
  const read = {
    allowed: allowed === true,
    ...(isObject(status) && { result: resultOf(status) }),
    warnings: Array.isArray(warnings) ? warnings.filter(isText) : [],
    auditAnnotations: isObject(auditAnnotations)
      ? (Object.fromEntries(Object.entries(auditAnnotations).filter(([, value]) => isText(value))) as Record<string, string>)
      : {},
  };
  if (!isMutating) return read;
  if (patch && !patchType) throw problem('webhook returned response.patch but not response.patchType');
  if (patchType && !patch) throw problem('webhook returned response.patchType but not response.patch');
  if (!patch) return read;
  if (patchType !== 'JSONPatch') throw problem(`webhook returned invalid response.patchType of ${JSON.stringify(patchType)}`);
  return { ...read, patch: decodedPatch(patch, problem) };
}

function decodedPatch(patch: unknown, problem: (why: string) => Error): unknown {
  try {
    const bytes = Uint8Array.from(atob(patch as string), (character) => character.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw problem('webhook returned a response.patch that is no base64 of JSON');
  }
}

function resultOf({ code, message, reason, details }: Record<string, unknown>): NonNullable<WebhookResponse['result']> {
  const causes = isObject(details) && Array.isArray(details.causes) ? details.causes.filter(isObject) : [];
  return {
    ...(typeof code === 'number' && { code }),
    ...(isText(message) && { message }),
    ...(isText(reason) && { reason }),
    ...(causes.length > 0 && { details: { causes } }),
  };
}

/** The error of a request that a webhook denied. */
export function denial(webhook: string, { result = {} }: WebhookResponse): NodeAgentError {
  const denied = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  const { code = 0, message, reason, details } = result;
  const why = message || reason;
  return apiStatusError({
    code: code >= 400 && code < 600 ? code : 400,
    reason: reason ?? '',
    message: why ? `${denied}: ${why}` : `${denied} without explanation`,
    ...(details?.causes && { causes: details.causes }),
  });
}
