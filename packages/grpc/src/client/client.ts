import { abandonAtDeadline, type Clock, errorMessage, NodeAgentError, systemClock, systemRandom, withController } from '@nodeagent/api';
import { grpcError, grpcErrorCodes } from '../errors.js';
import type { GrpcStream } from '../grpc-stream.js';
import type { GrpcMethod } from '../method.js';
import { Call, type CallContext, type CallEvents } from './call.js';
import { type Channel, createReconnectingChannel } from './channel.js';
import type { GrpcCallOptions, GrpcClientOptions } from './client-options.js';
import { encodeMessage } from './message-reader.js';
import { streamMessages } from './message-stream.js';
import { createRequestHeaders } from './request-headers.js';

/** The calls of one server. All methods can be called concurrently. */
export interface GrpcCalls {
  /**
   * A call with one response. Connects if there is no connection; fails with `Unavailable` immediately if no process listens.
   * Rejects with `GrpcCallFailed`, `GrpcClientClosed`, the signal's reason, or the error of the request's `encode`.
   */
  unary<Request, Response>(method: GrpcMethod<Request, Response, false>, request: Request, options?: GrpcCallOptions): Promise<Response>;
  /**
   * The messages of one streaming call, which starts with the first `next()`. A server that is faster than the consumer waits for it.
   * `return()` cancels the call immediately, also while `next()` is pending. `next()` rejects as `unary` does.
   */
  stream<Request, Response>(method: GrpcMethod<Request, Response, true>, request: Request, options?: GrpcCallOptions): GrpcStream<Response>;
  /** Ends running calls and closes the connection; running and later calls reject with `GrpcClientClosed`. Idempotent. */
  close(): void;
}

/** A client of the server behind a Unix socket. */
export interface GrpcClient extends GrpcCalls {
  /** Waits until there is a connection. Rejects with `GrpcDialFailed` after `timeoutMs`, with `GrpcClientClosed` or the signal's reason. */
  connect(options: { timeoutMs: number; signal?: AbortSignal }): Promise<void>;
}

const clientDefaults = {
  maxReceiveMessageBytes: 4 * 1024 * 1024,
  reconnectDelayMs: { min: 1000, max: 120_000 },
  userAgent: 'nodeagent-grpc',
};

/**
 * Creates a client of the gRPC server behind a Unix socket. Does no I/O; the first call connects. It has what a client with one peer on the same
 * machine needs: no name resolution, load balancing, interceptors, metadata or compression, and no retries except of calls that the server refused
 * unprocessed.
 */
export function createGrpcClient(options: GrpcClientOptions): GrpcClient {
  const { socketPath, reconnectDelayMs = clientDefaults.reconnectDelayMs, clock = systemClock, random = systemRandom } = options;
  const channel = createReconnectingChannel({ socketPath, reconnectDelayMs, clock, random });
  const { isClosed, ...calls } = createCalls(channel, { ...options, authority: 'localhost', clock });
  const dials = new Set<AbortController>();

  return {
    ...calls,
    connect({ timeoutMs, signal }) {
      let last: unknown;
      const error = () => dialFailed(socketPath, timeoutMs, last);
      return withController(signal, async (dial) => {
        if (isClosed()) throw clientClosed();
        dials.add(dial);
        try {
          await abandonAtDeadline({ clock, timeoutMs, error, signal: dial.signal }, (own) =>
            channel.whenReady(own, (failure) => {
              last = failure;
            }),
          );
        } finally {
          dials.delete(dial);
        }
      });
    },
    close() {
      calls.close();
      for (const dial of dials) dial.abort(clientClosed());
    },
  };
}

/** What calls need besides their connection. */
export interface CallsOptions extends Pick<GrpcClientOptions, 'maxReceiveMessageBytes' | 'userAgent'> {
  /** The header `:authority`. Default `localhost`. */
  authority: string;
  clock: Clock;
}

/** The calls over a channel. `isClosed`: whether `close` was called. */
export function createCalls(channel: Channel, options: CallsOptions): GrpcCalls & { isClosed(): boolean } {
  const {
    maxReceiveMessageBytes = clientDefaults.maxReceiveMessageBytes,
    userAgent = clientDefaults.userAgent,
    authority,
    clock,
  } = options;
  const running = new Set<Call>();
  const context: CallContext = { channel, clock, maxReceiveMessageBytes, running };
  const headersOf = createRequestHeaders({ authority, userAgent });
  let isClosed = false;

  function start(path: string, message: Buffer, { timeoutMs, signal }: GrpcCallOptions, events: CallEvents): Call {
    signal?.throwIfAborted();
    if (isClosed) throw clientClosed();
    return new Call(context, { headerBlock: headersOf(path, timeoutMs), body: encodeMessage(message), timeoutMs, signal }, events);
  }

  return {
    isClosed: () => isClosed,
    unary<Request, Response>(method: GrpcMethod<Request, Response, false>, request: Request, callOptions: GrpcCallOptions = {}) {
      return new Promise<Response>((resolve, reject) => {
        let received: { response: Response } | undefined;
        const call: Call = start(method.path, method.request.encode(request), callOptions, {
          message(bytes) {
            if (received) call.fail('Unimplemented', 'Too many responses received');
            received = { response: method.response.decode(bytes) };
          },
          hasUnread: () => false,
          end(error) {
            if (error !== undefined) reject(error);
            else if (received) resolve(received.response);
            else reject(grpcError('Unimplemented', 'No message received'));
          },
        });
      });
    },
    stream(method, request, callOptions = {}) {
      return streamMessages(
        (bytes) => method.response.decode(bytes),
        (events) => start(method.path, method.request.encode(request), callOptions, events),
      );
    },
    close() {
      isClosed = true;
      for (const call of running) call.cancel(clientClosed());
      channel.destroy();
    },
  };
}

function clientClosed(): NodeAgentError {
  return new NodeAgentError(grpcErrorCodes.clientClosed, 'the gRPC client is closed');
}

function dialFailed(socketPath: string, timeoutMs: number, cause: unknown): NodeAgentError {
  const why = cause === undefined ? 'the server has not sent its settings' : errorMessage(cause);
  const message = `no connection to ${socketPath} within ${timeoutMs} ms: ${why}`;
  return new NodeAgentError(grpcErrorCodes.dialFailed, message, { retryable: true, details: { socketPath }, cause });
}
