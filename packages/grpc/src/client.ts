import { checkOptionNames, errorMessage, NodeAgentError, type OptionNames, systemClock } from '@nodeagent/api';
import type { GrpcCallOptions, GrpcClientOptions } from './client-options.js';
import { createConnection } from './connection.js';
import { grpcErrorCodes } from './errors.js';
import type { GrpcStream } from './grpc-stream.js';
import type { GrpcMethod } from './method.js';
import { readStream } from './read-stream.js';

/** The connection to one socket. All methods can be called concurrently. */
export interface GrpcClient {
  /**
   * A call with one response. Connects if there is no connection; fails with `Unavailable` immediately if no process listens.
   * Rejects with `GrpcCallFailed`, `GrpcClientClosed`, the signal's reason, or the error of the request's `encode`.
   */
  unary<Request, Response>(method: GrpcMethod<Request, Response, false>, request: Request, options?: GrpcCallOptions): Promise<Response>;
  /**
   * The messages of one streaming call, which starts with the first `next()`. The client reads messages only on demand, so flow control
   * stops the server while the consumer does not read. `return()` cancels the call immediately, also while `next()` is pending. `next()`
   * rejects as `unary` does.
   */
  stream<Request, Response>(method: GrpcMethod<Request, Response, true>, request: Request, options?: GrpcCallOptions): GrpcStream<Response>;
  /** Waits until there is a connection. Rejects with `GrpcDialFailed` after `timeoutMs`, with `GrpcClientClosed` or the signal's reason. */
  connect(options: { timeoutMs: number; signal?: AbortSignal }): Promise<void>;
  /** Ends running calls and closes the connection; running and later calls reject with `GrpcClientClosed`. Idempotent. */
  close(): void;
}

const optionNames: OptionNames<GrpcClientOptions> = {
  socketPath: true,
  maxReceiveMessageBytes: true,
  reconnectDelayMs: { min: true, max: true },
};

/** Creates a client of the gRPC server behind a Unix socket. Does no I/O; the first call loads the gRPC library and connects. */
export function createGrpcClient(options: GrpcClientOptions): GrpcClient {
  checkOptionNames('createGrpcClient', options, optionNames);
  const connection = createConnection(options);
  return {
    async unary(method, request, callOptions = {}) {
      const bytes = method.request.encode(request);
      const { client, deadline, failed, cancelWith } = await connection.start(callOptions);
      return new Promise((resolve, reject) => {
        const decode = (answer: Buffer) => method.response.decode(answer);
        const call = client.makeUnaryRequest(method.path, asIs, decode, bytes, deadline, (error, response) => {
          release();
          if (error !== null || response === undefined) reject(failed(error));
          else resolve(response);
        });
        const release = cancelWith(() => call.cancel());
      });
    },
    stream(method, request, callOptions = {}) {
      return readStream(async () => {
        const bytes = method.request.encode(request);
        const { client, deadline, failed, cancelWith } = await connection.start(callOptions);
        const decode = (message: Buffer) => method.response.decode(message);
        return { messages: client.makeServerStreamRequest(method.path, asIs, decode, bytes, deadline), failed, cancelWith };
      });
    },
    async connect({ timeoutMs, signal }) {
      const { client, failed, cancelWith } = await connection.start(signal === undefined ? {} : { signal });
      await new Promise<void>((resolve, reject) => {
        const release = cancelWith(() => reject(failed(undefined)));
        client.waitForReady(systemClock.now() + timeoutMs, (error) => {
          release();
          if (error === undefined) resolve();
          else reject(dialFailed(options.socketPath, error));
        });
      });
    },
    close: () => connection.close(),
  };
}

/** Requests are encoded before the call starts, so that an encoding error rejects without a connection. */
const asIs = (bytes: Buffer): Buffer => bytes;

function dialFailed(socketPath: string, error: Error): NodeAgentError {
  return new NodeAgentError(grpcErrorCodes.dialFailed, errorMessage(error), { retryable: true, details: { socketPath } });
}
