import { NodeAgentError } from '@nodeagent/api';

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

/** The name of a gRPC status. */
export type GrpcStatus = (typeof grpcStatuses)[number];

/** The codes of the errors that this package makes. */
export const grpcErrorCodes = {
  /** A call ended with a status other than OK; `details` are {@link GrpcCallFailure}. Retryable for `Unavailable` and `Aborted`. */
  callFailed: 'GrpcCallFailed',
  /** No connection within the time limit of `connect`. Retryable. */
  dialFailed: 'GrpcDialFailed',
  /** `close` of the client ended the call, or preceded it. */
  clientClosed: 'GrpcClientClosed',
  /** Another process serves the socket. */
  socketInUse: 'GrpcSocketInUse',
  /** The path of the socket exists and is not a socket. */
  socketPathTaken: 'GrpcSocketPathTaken',
  /** The socket cannot be created. */
  listenFailed: 'GrpcListenFailed',
} as const;

/** `details` of an error with the code `GrpcCallFailed`. */
export interface GrpcCallFailure {
  /** The number of the status. */
  code: number;
  status: GrpcStatus;
  /** The peer's text. That of this side where no peer answered: it then contains `connect ENOENT` or begins with `Deadline exceeded after`. */
  description: string;
}

/** The error of a call that ended with this status. A handler throws it to answer with the status. */
export function grpcError(status: GrpcStatus, description: string, cause?: unknown): NodeAgentError {
  const failure: GrpcCallFailure = { code: grpcStatuses.indexOf(status), status, description };
  return new NodeAgentError(grpcErrorCodes.callFailed, `rpc error: code = ${status} desc = ${description}`, {
    retryable: status === 'Unavailable' || status === 'Aborted',
    details: { ...failure },
    cause,
  });
}

/** The status that a call failed with; undefined for an error of another kind. */
export function grpcFailureOf(error: unknown): GrpcCallFailure | undefined {
  const { code, details } = (error ?? {}) as { code?: unknown; details?: unknown };
  return code === grpcErrorCodes.callFailed ? (details as GrpcCallFailure) : undefined;
}

/** What a call is answered with when its handler throws. */
export interface GrpcAnswer {
  /** The number of the status. */
  code: number;
  description: string;
}
