import { NodeAgentError, type NodeAgentErrorOptions } from '@nodeagent/api';

/** Codes of this package's errors. The CRI ones are those that a CRI client gives for the gRPC status of the same name. */
export const processRuntimeErrorCodes = {
  /** An option is missing or out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** The root folder belongs to another running process; `details.pid` names it. */
  rootLocked: 'RuntimeRootLocked',
  /** The machine has no Linux /proc. */
  unsupportedPlatform: 'UnsupportedPlatform',
  /** No sandbox, container or image has this name. */
  notFound: 'CRI_NOT_FOUND',
  /** The request is wrong whatever the state; the message names the field. */
  invalidArgument: 'CRI_INVALID_ARGUMENT',
  /** A sandbox or container with the same metadata exists. */
  alreadyExists: 'CRI_ALREADY_EXISTS',
  /** The state does not allow it: the container is not running, the sandbox was stopped, the runtime is not started. */
  failedPrecondition: 'CRI_FAILED_PRECONDITION',
  /** Plain processes cannot do this. */
  unimplemented: 'CRI_UNIMPLEMENTED',
  /** An exec or a call took longer than it was given. Retryable. */
  deadlineExceeded: 'CRI_DEADLINE_EXCEEDED',
  /** Too many streams wait for their clients. Retryable. */
  resourceExhausted: 'CRI_RESOURCE_EXHAUSTED',
  /** The operating system refused; `cause` has its error. */
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

/** The error of a CRI method that has no meaning for plain processes. */
export const unimplemented = (method: string, why: string) =>
  new NodeAgentError(processRuntimeErrorCodes.unimplemented, `the embedded runtime does not implement ${method}: ${why}`);

/** Another process has the root folder. */
export const rootLocked = (root: string, pid: number) =>
  new NodeAgentError(
    processRuntimeErrorCodes.rootLocked,
    `${root} is in use by process ${pid}: two runtimes cannot share their state folder`,
    {
      hint: 'Stop that process, or give this one another root.',
      details: { root, pid },
    },
  );
