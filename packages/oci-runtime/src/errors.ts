import { errorMessage, NodeAgentError, type NodeAgentErrorOptions } from '@nodeagent/api';
import { type LockHolder, lockHolderText } from '@nodeagent/api/helpers';

/** The `code` of every error of this package. The CRI ones are those of a CRI client for the gRPC status of the same name. */
export const ociRuntimeErrorCodes = {
  /** An option is missing or out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** Another running process has locked the root folder; `details.pid` is its pid. */
  rootLocked: 'RuntimeRootLocked',
  /** The machine is not Linux, this process is not root, or a program is missing; the hint names it. */
  unsupportedPlatform: 'UnsupportedPlatform',
  /** The request is invalid, also in combination with the image or the machine. Details: `field`. */
  invalidArgument: 'CRI_INVALID_ARGUMENT',
  /** The sandbox, container or image does not exist. */
  notFound: 'CRI_NOT_FOUND',
  /** A sandbox or container with the same metadata exists. */
  alreadyExists: 'CRI_ALREADY_EXISTS',
  /** The state does not allow the call: the container is not running, the sandbox was stopped, the runtime is not started. */
  failedPrecondition: 'CRI_FAILED_PRECONDITION',
  /** An exec or a call exceeded its timeout. Retryable. */
  deadlineExceeded: 'CRI_DEADLINE_EXCEEDED',
  /** The registry refuses the credentials, demands some, or is blocked. */
  permissionDenied: 'CRI_PERMISSION_DENIED',
  /** The registry cannot be reached, or keeps failing. Retryable. */
  unavailable: 'CRI_UNAVAILABLE',
  /** This runtime does not implement the call. */
  unimplemented: 'CRI_UNIMPLEMENTED',
  /** A program or an operating system call failed; the message quotes it. */
  unknown: 'CRI_UNKNOWN',
  /** A file is not a specification of the Container Device Interface. Details: `field`. */
  invalidCdiSpec: 'InvalidCdiSpec',
  /** A file is not a seccomp profile. Details: `field`. */
  invalidSeccompProfile: 'InvalidSeccompProfile',
} as const;

export const invalidArgument = (field: string, message: string, hint?: string) =>
  new NodeAgentError(ociRuntimeErrorCodes.invalidArgument, `${field}: ${message}`, { details: { field }, hint });

export const notFound = (message: string, options?: NodeAgentErrorOptions) =>
  new NodeAgentError(ociRuntimeErrorCodes.notFound, message, options);

export const alreadyExists = (message: string) => new NodeAgentError(ociRuntimeErrorCodes.alreadyExists, message);

export const failedPrecondition = (message: string, options?: NodeAgentErrorOptions) =>
  new NodeAgentError(ociRuntimeErrorCodes.failedPrecondition, message, options);

export const deadlineExceeded = (message: string) =>
  new NodeAgentError(ociRuntimeErrorCodes.deadlineExceeded, message, { retryable: true });

export const unknownError = (message: string, cause?: unknown) => new NodeAgentError(ociRuntimeErrorCodes.unknown, message, { cause });

/** The error of a failed creation: that of an operating system call names what could not be created. */
export const creationError = (what: string, error: unknown) =>
  error instanceof NodeAgentError ? error : unknownError(`cannot create ${what}: ${errorMessage(error)}`, error);

export const unimplemented = (method: string, why: string) =>
  new NodeAgentError(ociRuntimeErrorCodes.unimplemented, `the OCI runtime does not implement ${method}: ${why}`);

export const unsupportedPlatform = (problem: string, hint?: string) =>
  new NodeAgentError(ociRuntimeErrorCodes.unsupportedPlatform, `the OCI runtime ${problem}`, { hint });

/** The error if another process has locked the root folder. */
export const rootLocked = (root: string, holder: LockHolder | undefined) =>
  new NodeAgentError(
    ociRuntimeErrorCodes.rootLocked,
    `${root} is in use by ${lockHolderText(holder)}: two runtimes cannot share a state folder`,
    { hint: 'Stop that process, or give this one another root.', details: { root, ...(holder && { pid: holder.pid }) } },
  );

export const invalidCdiSpec = (field: string, problem: string) =>
  new NodeAgentError(ociRuntimeErrorCodes.invalidCdiSpec, `invalid CDI specification: ${field}: ${problem}`, { details: { field } });

export const invalidSeccompProfile = (field: string, problem: string) =>
  new NodeAgentError(ociRuntimeErrorCodes.invalidSeccompProfile, `invalid seccomp profile: ${field} ${problem}`, { details: { field } });
