import { type ApiStatus, apiStatusError, apiStatusOf, errorMessage, type NodeAgentError } from '@nodeagent/api';
import { withExamples } from './name-examples.js';

/** A problem of an object: Kubernetes API reference, "StatusCause". */
export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

/** The subject of a failed call. */
export interface StatusSubject {
  group?: string;
  /** The resource for most reasons, the kind for `Invalid`. */
  kind?: string;
  name?: string;
  uid?: string;
}

/** An error with the fields of the wire format beyond {@link ApiStatus}. */
interface FullStatus extends ApiStatus {
  subject?: StatusSubject;
  /** A token to continue a list whose own has expired. */
  continueToken?: string;
}

/** A named resource in messages: `pods "web"`, `deployments.apps "web"`. */
function quoted(subject: StatusSubject): string {
  return `${qualified(subject)} "${subject.name ?? ''}"`;
}

const qualified = ({ group, kind }: StatusSubject) => (group ? `${kind}.${group}` : kind);

/** The subject of a denial: a path has neither a resource nor a name, a list and a creation no name. */
function denied(subject: StatusSubject): string {
  if (!subject.kind) return 'forbidden';
  return `${subject.name ? quoted(subject) : qualified(subject)} is forbidden`;
}

function refuse(status: FullStatus): NodeAgentError {
  return apiStatusError(status);
}

export const notFound = (subject: StatusSubject) =>
  refuse({ code: 404, reason: 'NotFound', message: `${quoted(subject)} not found`, subject });

export const pathNotFound = () => refuse({ code: 404, reason: 'NotFound', message: 'the server could not find the requested resource' });

export const alreadyExists = (subject: StatusSubject) =>
  refuse({ code: 409, reason: 'AlreadyExists', message: `${quoted(subject)} already exists`, subject });

export const conflict = (subject: StatusSubject, why: string) =>
  refuse({ code: 409, reason: 'Conflict', message: `Operation cannot be fulfilled on ${quoted(subject)}: ${why}`, subject });

/** The conflict error of an update with an outdated resourceVersion. */
export const modified = (subject: StatusSubject) =>
  conflict(subject, 'the object has been modified; please apply your changes to the latest version and try again');

export const forbidden = (subject: StatusSubject, why: string, causes?: StatusCause[]) =>
  refuse({ code: 403, reason: 'Forbidden', message: `${denied(subject)}: ${why}`, subject, ...(causes && { causes }) });

export const unauthorized = () => refuse({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' });

/** The error of the storage, which has no reason. */
export const versionOnCreate = () =>
  refuse({ code: 500, reason: '', message: 'resourceVersion should not be set on objects to be created' });

export const badRequest = (message: string) => refuse({ code: 400, reason: 'BadRequest', message });

export const methodNotAllowed = () =>
  refuse({ code: 405, reason: 'MethodNotAllowed', message: 'the server does not allow this method on the requested resource' });

/** The error of a creation while the resource's definition is being deleted. */
export const terminatingDefinition = () =>
  refuse({
    code: 405,
    reason: 'MethodNotAllowed',
    message: 'create not allowed while custom resource definition is terminating',
  });

export const notAcceptable = (accepted: readonly string[]) =>
  refuse({
    code: 406,
    reason: 'NotAcceptable',
    message: `only the following media types are accepted: ${accepted.join(', ')}`,
  });

export const unsupportedMediaType = (accepted: readonly string[]) =>
  refuse({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  });

export const requestTooLarge = (limit: number) =>
  refuse({ code: 413, reason: 'RequestEntityTooLarge', message: `Request entity too large: limit is ${limit}` });

export const expired = (message: string, continueToken?: string) =>
  refuse({ code: 410, reason: 'Expired', message, ...(continueToken && { continueToken }) });

/** Without a time after which clients retry. */
export const tooManyRequests = (message: string, causes: StatusCause[]) =>
  refuse({ code: 429, reason: 'TooManyRequests', message, causes });

export const internalError = (why: string) => refuse({ code: 500, reason: 'InternalError', message: `Internal error occurred: ${why}` });

/** An internal error whose message has no introduction. */
export const plainInternalError = (message: string) => refuse({ code: 500, reason: 'InternalError', message });

export const serviceUnavailable = (message: string) => refuse({ code: 503, reason: 'ServiceUnavailable', message });

/** Kubernetes' reasons by the first words of field problems. */
const causeReasons: [prefix: string, reason: string][] = [
  ['Required value', 'FieldValueRequired'],
  ['Duplicate value', 'FieldValueDuplicate'],
  ['Not found', 'FieldValueNotFound'],
  ['Unsupported value', 'FieldValueNotSupported'],
  ['Forbidden', 'FieldValueForbidden'],
  ['Too long', 'FieldValueTooLong'],
  ['Too many', 'FieldValueTooMany'],
];

/** The error of an invalid object. */
export function invalid(subject: StatusSubject, problems: readonly { field: string; problem: string }[]): NodeAgentError {
  const worded = problems.map(({ field, problem }) => ({ field, problem: withExamples(problem) }));
  const lines = worded.map(({ field, problem }) => (field ? `${field}: ${problem}` : problem));
  const details = lines.length === 1 ? lines[0] : `[${lines.join(', ')}]`;
  const causes = worded.map(({ field, problem }) => ({
    reason: causeReasons.find(([prefix]) => problem.startsWith(prefix))?.[1] ?? 'FieldValueInvalid',
    message: problem,
    field,
  }));
  return refuse({ code: 422, reason: 'Invalid', message: `${quoted(subject)} is invalid: ${details}`, subject, causes });
}

/** A `Status` in the wire format. */
export interface WireStatus {
  kind: 'Status';
  apiVersion: 'v1';
  metadata: Record<string, unknown>;
  status: 'Success' | 'Failure';
  message?: string;
  reason?: string;
  details?: StatusSubject & { causes?: readonly StatusCause[]; retryAfterSeconds?: number };
  code?: number;
}

/** The parts of a subject that are not empty, as Go writes them. */
const presentParts = (subject: StatusSubject = {}) => Object.fromEntries(Object.entries(subject).filter(([, value]) => value));

/** Only an object that is nested too deeply for the call stack causes it: Go's decoder refuses 10,000 levels, too. */
const isStackOverflow = (error: unknown) => error instanceof RangeError && error.message.includes('call stack');

/** The status of a handler's error; an error that is not an API error is a 500. */
export function wireStatusOf(error: unknown): WireStatus & { code: number } {
  const known = isStackOverflow(error) ? badRequest('json: exceeded max depth') : error;
  const status: FullStatus | undefined = apiStatusOf(known) ?? apiStatusOf(internalError(errorMessage(known)));
  const { code, reason, message, causes, subject, retryAfterMs, continueToken } = status as FullStatus;
  const details = {
    ...presentParts(subject),
    ...(causes && causes.length > 0 && { causes }),
    ...(retryAfterMs !== undefined && { retryAfterSeconds: Math.ceil(retryAfterMs / 1000) }),
  };
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: continueToken ? { continue: continueToken } : {},
    status: 'Failure',
    message,
    ...(reason && { reason }),
    ...(Object.keys(details).length > 0 && { details }),
    code,
  };
}

/** The Status of a successful call without an object. */
export function successStatus(details?: StatusSubject): WireStatus {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', ...(details && { details }) };
}

/** The error of a resourceVersion that this server has not reached. */
export function tooLarge(wanted: number, current: number): NodeAgentError {
  const message = `Too large resource version: ${wanted}, current: ${current}`;
  const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
  return refuse({ code: 504, reason: 'Timeout', message: `Timeout: ${message}`, retryAfterMs: 1000, causes });
}
