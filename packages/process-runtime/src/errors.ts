import { NodeAgentError, type NodeAgentErrorOptions } from '@nodeagent/api';
import { type LockHolder, lockHolderText } from '@nodeagent/api/helpers';

/** Codes of this package's errors. The CRI ones are those of a CRI client for the gRPC status of the same name. */
export const processRuntimeErrorCodes = {
  /** An option is missing or out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** Another running process has locked the root folder; `details.pid` is its pid. */
  rootLocked: 'RuntimeRootLocked',
  /** The machine has no Linux /proc. */
  unsupportedPlatform: 'UnsupportedPlatform',
  /** The sandbox, container or image does not exist. */
  notFound: 'CRI_NOT_FOUND',
  /** The request is invalid; the message names the field. */
  invalidArgument: 'CRI_INVALID_ARGUMENT',
  /** A sandbox or container with the same metadata exists. */
  alreadyExists: 'CRI_ALREADY_EXISTS',
  /** The state does not allow the call: the container is not running, the sandbox was stopped, the runtime is not started. */
  failedPrecondition: 'CRI_FAILED_PRECONDITION',
  /** Not possible with plain processes. */
  unimplemented: 'CRI_UNIMPLEMENTED',
  /** An exec or a call exceeded its timeout. Retryable. */
  deadlineExceeded: 'CRI_DEADLINE_EXCEEDED',
  /** Too many streams wait for their clients. Retryable. */
  resourceExhausted: 'CRI_RESOURCE_EXHAUSTED',
  /** An operating system call failed; `cause` is its error. */
  unknown: 'CRI_UNKNOWN',
} as const;

export const notFound = (message: string, options?: NodeAgentErrorOptions) =>
  new NodeAgentError(processRuntimeErrorCodes.notFound, message, options);

export const invalidArgument = (field: string, message: string) =>
  new NodeAgentError(processRuntimeErrorCodes.invalidArgument, `${field}: ${message}`, { details: { field } });

export const failedPrecondition = (message: string, options?: NodeAgentErrorOptions) =>
  new NodeAgentError(processRuntimeErrorCodes.failedPrecondition, message, options);

export const unknownError = (message: string, cause?: unknown) => new NodeAgentError(processRuntimeErrorCodes.unknown, message, { cause });

export const deadlineExceeded = (message: string) =>
  new NodeAgentError(processRuntimeErrorCodes.deadlineExceeded, message, { retryable: true });

/** The error of a CRI method that plain processes do not support. */
export const unimplemented = (method: string, why: string) =>
  new NodeAgentError(processRuntimeErrorCodes.unimplemented, `the embedded runtime does not implement ${method}: ${why}`);

/** The error if another process has locked the root folder. */
export const rootLocked = (root: string, holder: LockHolder | undefined) =>
  new NodeAgentError(
    processRuntimeErrorCodes.rootLocked,
    `${root} is in use by ${lockHolderText(holder)}: two runtimes cannot share a state folder`,
    { hint: 'Stop that process, or give this one another root.', details: { root, ...(holder && { pid: holder.pid }) } },
  );
