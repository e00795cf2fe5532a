import { NodeAgentError, type NodeAgentErrorOptions } from '@nodeagent/api';

/**
 * What a failed call's status becomes, by gRPC's status number. The kubelet spells a status as gRPC-Go does
 * (`rpc error: code = NotFound desc = ...`), hence `status`. Retryable is what gRPC's documentation calls so: UNAVAILABLE for the
 * call itself, ABORTED for the sequence it is part of.
 */
const statuses = {
  1: { code: 'CRI_CANCELLED', status: 'Canceled', retryable: false },
  2: { code: 'CRI_UNKNOWN', status: 'Unknown', retryable: false },
  3: { code: 'CRI_INVALID_ARGUMENT', status: 'InvalidArgument', retryable: false },
  4: { code: 'CRI_DEADLINE_EXCEEDED', status: 'DeadlineExceeded', retryable: false },
  5: { code: 'CRI_NOT_FOUND', status: 'NotFound', retryable: false },
  6: { code: 'CRI_ALREADY_EXISTS', status: 'AlreadyExists', retryable: false },
  7: { code: 'CRI_PERMISSION_DENIED', status: 'PermissionDenied', retryable: false },
  8: { code: 'CRI_RESOURCE_EXHAUSTED', status: 'ResourceExhausted', retryable: false },
  9: { code: 'CRI_FAILED_PRECONDITION', status: 'FailedPrecondition', retryable: false },
  10: { code: 'CRI_ABORTED', status: 'Aborted', retryable: true },
  11: { code: 'CRI_OUT_OF_RANGE', status: 'OutOfRange', retryable: false },
  12: { code: 'CRI_UNIMPLEMENTED', status: 'Unimplemented', retryable: false },
  13: { code: 'CRI_INTERNAL', status: 'Internal', retryable: false },
  14: { code: 'CRI_UNAVAILABLE', status: 'Unavailable', retryable: true },
  15: { code: 'CRI_DATA_LOSS', status: 'DataLoss', retryable: false },
  16: { code: 'CRI_UNAUTHENTICATED', status: 'Unauthenticated', retryable: false },
} as const;

type GrpcCode = keyof typeof statuses;
type StatusCode = (typeof statuses)[GrpcCode]['code'];

/**
 * Codes of this package's errors: one for each gRPC status, and
 * - `CRI_ENDPOINT_INVALID`: an endpoint that is no absolute path of a unix socket;
 * - `CRI_VERSION_UNSUPPORTED`: the runtime speaks another version of the CRI;
 * - `CRI_CLIENT_CLOSED`: a call after `close()`;
 * - `CRI_SOCKET_IN_USE`, `CRI_SOCKET_PATH_TAKEN`, `CRI_LISTEN_FAILED`: `serveCri` could not take its socket.
 */
export type CriErrorCode =
  | StatusCode
  | 'CRI_ENDPOINT_INVALID'
  | 'CRI_VERSION_UNSUPPORTED'
  | 'CRI_CLIENT_CLOSED'
  | 'CRI_SOCKET_IN_USE'
  | 'CRI_SOCKET_PATH_TAKEN'
  | 'CRI_LISTEN_FAILED';

/** Makes an error of this package; an implementation behind `serveCri` throws these to answer with a status other than Unknown. */
export function criError(code: CriErrorCode, message: string, options?: NodeAgentErrorOptions): NodeAgentError {
  return new NodeAgentError(code, message, options);
}

const isGrpcCode = (code: number): code is GrpcCode => Object.hasOwn(statuses, code);

/** The number of the gRPC status that an error code of this package stands for; Unknown for all others. */
export function grpcCodeOf(code: string | undefined): number {
  for (const [number, entry] of Object.entries(statuses)) if (entry.code === code) return Number(number);
  return 2;
}

/** The error of a call that ended with a status other than OK. */
export function callError(method: string, endpoint: string, failure: { code?: number; details?: string }, cause: unknown): NodeAgentError {
  const grpcCode = failure.code !== undefined && isGrpcCode(failure.code) ? failure.code : 2;
  const { code, status, retryable } = statuses[grpcCode];
  const hint = hintFor(code, endpoint, failure.details ?? '');
  return criError(code, messageFor(code, failure.details ?? ''), {
    retryable,
    ...(hint === undefined ? {} : { hint }),
    details: { method, grpcCode, grpcStatus: status },
    cause,
  });
}

/** The runtime's own words; for a deadline that this side kept, the words of the kubelet. */
function messageFor(code: StatusCode, details: string): string {
  if (code === 'CRI_DEADLINE_EXCEEDED' && /^(Deadline exceeded after|$)/.test(details)) return 'context deadline exceeded';
  return details;
}

function hintFor(code: StatusCode, endpoint: string, details: string): string | undefined {
  if (code !== 'CRI_UNAVAILABLE') return undefined;
  switch (/\bconnect (E[A-Z]+)\b/.exec(details)?.[1]) {
    case 'ENOENT':
    case 'ENOTDIR':
      return `There is no socket ${endpoint}. Start the container runtime, or give the endpoint of the one that runs (containerd: unix:///run/containerd/containerd.sock, CRI-O: unix:///var/run/crio/crio.sock).`;
    case 'EACCES':
    case 'EPERM':
      return `This process may not open ${endpoint}. Run it as root, or as a user that the socket's owner and mode admit.`;
    case 'ECONNREFUSED':
      return `Nobody listens on ${endpoint} any more: start the container runtime again.`;
    default:
      return undefined;
  }
}
