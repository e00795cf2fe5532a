import { errorCode, errorMessage, NodeAgentError } from '@nodeagent/api';
import { type GrpcAnswer, type GrpcStatus, grpcErrorCodes, grpcFailureOf, grpcStatuses } from '@nodeagent/grpc';

/** The `code` of every error of this package. */
export const pluginApiErrorCodes = {
  /** The status of a call is not OK; `details.status` is the status ({@link GrpcStatus}). Retryable for `Unavailable` and `Aborted`. */
  callFailed: 'PluginCallFailed',
  /** No server responded on the socket within the timeout. Retryable. */
  dialFailed: 'PluginDialFailed',
  /** The socket could not be served. */
  listenFailed: 'PluginListenFailed',
} as const;

/** The error of a call with this status. The implementation of a method throws it to respond with the status. */
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

/** Converts an error of gRPC to one of this package; returns others unchanged. */
export function pluginError(error: unknown): unknown {
  const failure = grpcFailureOf(error);
  if (failure !== undefined) return statusError(failure.status, failure.description, error);
  switch (errorCode(error)) {
    case grpcErrorCodes.dialFailed:
      return withCode(pluginApiErrorCodes.dialFailed, error as NodeAgentError);
    case grpcErrorCodes.listenFailed:
      return withCode(pluginApiErrorCodes.listenFailed, error as NodeAgentError);
    default:
      return error;
  }
}

function withCode(code: string, error: NodeAgentError): NodeAgentError {
  return new NodeAgentError(code, error.message, { retryable: error.retryable, details: error.details, cause: error });
}

/** The status and message to respond with. */
export function answerOf(error: unknown): GrpcAnswer {
  const status = grpcStatusOf(error);
  if (status === undefined) return { code: grpcStatuses.indexOf('Unknown'), description: errorMessage(error) };
  return { code: grpcStatuses.indexOf(status), description: String((error as NodeAgentError).details.description) };
}
