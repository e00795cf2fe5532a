import { errorCode } from '@nodeagent/api';
import { createGrpcClient, type GrpcCalls, grpcErrorCodes, grpcFailureOf } from '@nodeagent/grpc';
import { callError, criError } from './errors.js';

/** Maximum size of a message that a kubelet accepts from a runtime, in bytes. */
export const maxMessageBytes = 16 * 1024 * 1024;

/** Maximum delay between reconnection attempts: a restarted runtime is used again at most about a second after its socket is back. */
const reconnectDelayMs = { min: 100, max: 1000 };

/** The connection to one socket; it is opened by the first call. */
export interface Connection {
  readonly endpoint: string;
  /** The client; throws CRI_CLIENT_CLOSED after `close`. */
  open(): GrpcCalls;
  /** Converts the error of a failed call to an error of this package. */
  errorOf(cause: unknown, method: { name: string }, signal: AbortSignal | undefined): unknown;
  close(): void;
}

export function createConnection(path: string): Connection {
  const client = createGrpcClient({
    ...{ socketPath: path, maxReceiveMessageBytes: maxMessageBytes, reconnectDelayMs, userAgent: 'nodeagent-cri-client' },
  });
  const endpoint = `unix://${path}`;
  let closed = false;
  return {
    endpoint,
    open() {
      if (closed) throw criError('CRI_CLIENT_CLOSED', 'the CRI client is closed');
      return client;
    },
    errorOf(cause, { name }, signal) {
      if (signal?.aborted) return signal.reason;
      if (errorCode(cause) === grpcErrorCodes.clientClosed)
        return criError('CRI_CANCELLED', 'the CRI client was closed', { details: { method: name }, cause });
      const failure = grpcFailureOf(cause);
      return failure === undefined ? cause : callError(name, endpoint, { code: failure.code, details: failure.description }, cause);
    },
    close() {
      closed = true;
      client.close();
    },
  };
}
