import { errorMessage } from '@nodeagent/api';
import { type GrpcStatus, grpcError, grpcStatuses } from '../errors.js';
import { ConnectionError, http2Errors } from './frames.js';
import type { Headers } from './hpack.js';
import type { StreamEnd } from './streams.js';

/** The error of a call whose connection could not be opened. */
export function notConnected(cause: unknown): Error {
  return grpcError('Unavailable', `No connection established. Last error: ${errorMessage(cause)}`, cause);
}

/** The error that a response describes, or undefined for success. Trailers are the headers that end the response, also if they are its only ones. */
export function failureOf(end: StreamEnd, headers: Headers | undefined, trailers: Headers | undefined): Error | undefined {
  const status = trailers?.get('grpc-status');
  if (status !== undefined) {
    const code = /^\d+$/.test(status) ? Number(status) : Number.NaN;
    if (code === 0) return undefined;
    return grpcError(grpcStatuses[code] ?? 'Unknown', decodeMessage(trailers?.get('grpc-message') ?? ''));
  }
  switch (end.kind) {
    case 'disconnected':
      return connectionDropped(end.error);
    case 'unreachable':
      return notConnected(end.error);
    case 'refused':
      return grpcError('Unavailable', 'Stream refused by server');
    case 'reset':
      return resetFailure(end.code);
    case 'complete': {
      const httpStatus = headers?.get(':status');
      if (trailers !== undefined || (httpStatus !== undefined && httpStatus !== '200')) return httpFailure(httpStatus);
      return resetFailure(http2Errors.noError);
    }
  }
}

/** Names the cause if the client closed the connection because of what the peer sent. */
function connectionDropped(error: Error): Error {
  const why = error instanceof ConnectionError ? `: ${error.message}` : '';
  return grpcError('Unavailable', `Connection dropped${why}`, error);
}

/** gRPC percent-encodes bytes outside of printable ASCII. */
function decodeMessage(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function resetFailure(code: number): Error {
  switch (code) {
    case http2Errors.noError:
      return grpcError('Internal', `Received RST_STREAM with code ${code} (Call ended without gRPC status)`);
    case http2Errors.cancel:
      return grpcError('Canceled', 'Call cancelled');
    case http2Errors.enhanceYourCalm:
      return grpcError('ResourceExhausted', 'Bandwidth exhausted or memory limit exceeded');
    case http2Errors.inadequateSecurity:
      return grpcError('PermissionDenied', 'Protocol not secure enough');
    case http2Errors.internalError:
      return grpcError('Internal', `Received RST_STREAM with code ${code} (Internal server error)`);
    default:
      return grpcError('Internal', `Received RST_STREAM with code ${code}`);
  }
}

/** gRPC's status for a response without one: https://github.com/grpc/grpc/blob/master/doc/http-grpc-status-mapping.md. */
const httpStatuses: Readonly<Record<string, GrpcStatus>> = {
  400: 'Internal',
  401: 'Unauthenticated',
  403: 'PermissionDenied',
  404: 'Unimplemented',
  429: 'Unavailable',
  502: 'Unavailable',
  503: 'Unavailable',
  504: 'Unavailable',
};

function httpFailure(status = '200'): Error {
  return grpcError(httpStatuses[status] ?? 'Unknown', `Received HTTP status code ${status}`);
}
