import { errorCode, errorMessage, NodeAgentError } from '@nodeagent/api';

/** gRPC's status codes in the order of their numbers, spelled as in `rpc error: code = NotFound desc = ...`. */
export const grpcStatuses = [
  'OK',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
] as const;

export type GrpcStatus = (typeof grpcStatuses)[number];

/** The codes of the errors that this package makes. */
export const pluginApiErrorCodes = {
  /** A call ended with a status other than OK; `details.status` is that ({@link GrpcStatus}). Retryable for `Unavailable` and `Aborted`. */
  callFailed: 'PluginCallFailed',
  /** Nobody answered on the socket in time. Retryable. */
  dialFailed: 'PluginDialFailed',
  /** The socket could not be served. */
  listenFailed: 'PluginListenFailed',
} as const;

/** The error of a call with this status; thrown by the implementation of a method, the status that it answers with. */
export function statusError(status: GrpcStatus, description: string, cause?: unknown): NodeAgentError {
  return new NodeAgentError(pluginApiErrorCodes.callFailed, `rpc error: code = ${status} desc = ${description}`, {
    retryable: status === 'Unavailable' || status === 'Aborted',
    details: { status, description },
    cause,
  });
}

/** The status that a call failed with; undefined for other errors. */
export function grpcStatusOf(error: unknown): GrpcStatus | undefined {
  if (errorCode(error) !== pluginApiErrorCodes.callFailed) return undefined;
  return (error as NodeAgentError).details.status as GrpcStatus;
}

/** Of what grpc-js rejects with. */
export function callError(error: unknown): NodeAgentError {
  const { code, details } = error as { code?: number; details?: string };
  return statusError(grpcStatuses[code ?? 2] ?? 'Unknown', details ?? errorMessage(error), error);
}

/** What to answer a call with. */
export function answerOf(error: unknown): { code: number; details: string } {
  const status = grpcStatusOf(error);
  if (status === undefined) return { code: grpcStatuses.indexOf('Unknown'), details: errorMessage(error) };
  return { code: grpcStatuses.indexOf(status), details: String((error as NodeAgentError).details.description) };
}
