import { NodeAgentError, type NodeAgentErrorOptions } from '@nodeagent/api';
import { grpcStatuses } from '@nodeagent/grpc';

/**
 * Error codes by gRPC status number. Retryable as gRPC's documentation defines it: UNAVAILABLE for the call itself, ABORTED for the
 * sequence that it is part of.
 */
const statuses = {
  1: { code: 'CRI_CANCELLED', retryable: false },
  2: { code: 'CRI_UNKNOWN', retryable: false },
  3: { code: 'CRI_INVALID_ARGUMENT', retryable: false },
  4: { code: 'CRI_DEADLINE_EXCEEDED', retryable: false },
  5: { code: 'CRI_NOT_FOUND', retryable: false },
  6: { code: 'CRI_ALREADY_EXISTS', retryable: false },
  7: { code: 'CRI_PERMISSION_DENIED', retryable: false },
  8: { code: 'CRI_RESOURCE_EXHAUSTED', retryable: false },
  9: { code: 'CRI_FAILED_PRECONDITION', retryable: false },
  10: { code: 'CRI_ABORTED', retryable: true },
  11: { code: 'CRI_OUT_OF_RANGE', retryable: false },
  12: { code: 'CRI_UNIMPLEMENTED', retryable: false },
  13: { code: 'CRI_INTERNAL', retryable: false },
  14: { code: 'CRI_UNAVAILABLE', retryable: true },
  15: { code: 'CRI_DATA_LOSS', retryable: false },
  16: { code: 'CRI_UNAUTHENTICATED', retryable: false },
} as const;

type GrpcCode = keyof typeof statuses;
type StatusCode = (typeof statuses)[GrpcCode]['code'];

/**
 * Codes of this package's errors: one for each gRPC status, and
 * - `CRI_ENDPOINT_INVALID`: an endpoint that is not an absolute path of a unix socket;
 * - `CRI_VERSION_UNSUPPORTED`: the runtime serves another version of the CRI;
 * - `CRI_CLIENT_CLOSED`: a call after `close()`;
 * - `CRI_SOCKET_IN_USE`, `CRI_SOCKET_PATH_TAKEN`, `CRI_LISTEN_FAILED`: `serveCri` could not listen on its socket.
 */
export type CriErrorCode =
  | StatusCode
  | 'CRI_ENDPOINT_INVALID'
  | 'CRI_VERSION_UNSUPPORTED'
  | 'CRI_CLIENT_CLOSED'
  | 'CRI_SOCKET_IN_USE'
  | 'CRI_SOCKET_PATH_TAKEN'
  | 'CRI_LISTEN_FAILED';

/** Creates an error of this package. An implementation behind `serveCri` throws it to respond with a status other than Unknown. */
export function criError(code: CriErrorCode, message: string, options?: NodeAgentErrorOptions): NodeAgentError {
  return new NodeAgentError(code, message, options);
}

const isGrpcCode = (code: number): code is GrpcCode => Object.hasOwn(statuses, code);

/** The gRPC status number of an error code of this package; Unknown for all other codes. */
export function grpcCodeOf(code: string | undefined): number {
  for (const [number, entry] of Object.entries(statuses)) if (entry.code === code) return Number(number);
  return 2;
}

/** The error of a call whose status is not OK. */
export function callError(method: string, endpoint: string, failure: { code?: number; details?: string }, cause: unknown): NodeAgentError {
  const grpcCode = failure.code !== undefined && isGrpcCode(failure.code) ? failure.code : 2;
  const { code, retryable } = statuses[grpcCode];
  const hint = hintFor(code, endpoint, failure.details ?? '');
  return criError(code, messageFor(code, grpcCode, failure.details ?? ''), {
    retryable,
    hint,
    details: { method, grpcCode, grpcStatus: grpcStatuses[grpcCode] },
    cause,
  });
}

/**
 * The runtime's message, or one with the status if it sent none; the kubelet's for a deadline without one, or with that of grpc-js, which a proxy
 * in front of the runtime may forward.
 */
function messageFor(code: StatusCode, grpcCode: GrpcCode, details: string): string {
  if (code === 'CRI_DEADLINE_EXCEEDED' && /^(Deadline exceeded after|$)/.test(details)) return 'context deadline exceeded';
  return details || `the runtime sent no message with the status ${grpcStatuses[grpcCode]}`;
}

function hintFor(code: StatusCode, endpoint: string, details: string): string | undefined {
  if (code !== 'CRI_UNAVAILABLE') return undefined;
  // Of the socket, a path: the runtime's own message may be about a registry, as `connect ECONNREFUSED 10.0.0.1:443`.
  switch (/\bconnect (E[A-Z]+) \//.exec(details)?.[1]) {
    case 'ENOENT':
    case 'ENOTDIR':
      return `The socket ${endpoint} does not exist. Start the container runtime, or set the endpoint of the running one (containerd: unix:///run/containerd/containerd.sock, CRI-O: unix:///var/run/crio/crio.sock).`;
    case 'EACCES':
    case 'EPERM':
      return `This process may not open ${endpoint}. Run it as root, or as a user that the socket's owner and mode admit.`;
    case 'ECONNREFUSED':
      return `No process listens on ${endpoint}: restart the container runtime.`;
    default:
      return undefined;
  }
}
