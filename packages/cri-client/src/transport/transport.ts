import { type Clock, NodeAgentError, type Random } from '@nodeagent/api';
import { type GrpcMethod, type GrpcStream, grpcError, grpcErrorCodes } from '@nodeagent/grpc';
import { Call, type CallContext, type CallEvents } from './call.js';
import { type ChannelOptions, createChannel } from './channel.js';
import { encodeMessage } from './message-reader.js';
import { streamMessages } from './message-stream.js';
import { createRequestHeaders } from './request-headers.js';

export interface TransportOptions {
  socketPath: string;
  /** Largest message that the client accepts, in bytes; a larger one fails its call with `ResourceExhausted`. */
  maxReceiveMessageBytes: number;
  reconnectDelayMs: ChannelOptions['reconnectDelayMs'];
  /** Clock of deadlines and of the delay between attempts to connect. */
  clock: Clock;
  random: Random;
}

/** Options of one call. */
export interface TransportCallOptions {
  /** Deadline in milliseconds from now. Default: none. */
  timeoutMs?: number | undefined;
  /** Cancels the call, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/**
 * A gRPC client of one Unix socket. It has what a client with one peer on the same machine needs, at a small part of the cost of a general
 * client: no name resolution, load balancing, interceptors, metadata or compression, and no retries except of calls that the server refused
 * unprocessed.
 */
export interface Transport {
  /**
   * A call with one response. Connects if there is no connection; fails with `Unavailable` immediately if no process listens.
   * Rejects with `GrpcCallFailed`, `GrpcClientClosed`, the signal's reason, or the error of the request's `encode`.
   */
  unary<Request, Response>(
    method: GrpcMethod<Request, Response, false>,
    request: Request,
    options?: TransportCallOptions,
  ): Promise<Response>;
  /**
   * The messages of one streaming call, which starts with the first `next()`. A server that is faster than the consumer waits for it.
   * `return()` cancels the call immediately, also while `next()` is pending. `next()` rejects as `unary` does.
   */
  stream<Request, Response>(
    method: GrpcMethod<Request, Response, true>,
    request: Request,
    options?: TransportCallOptions,
  ): GrpcStream<Response>;
  /** Ends running calls and closes the connection; running and later calls reject with `GrpcClientClosed`. Idempotent. */
  close(): void;
}

/** Creates a client. Does no I/O; the first call connects. */
export function createTransport({ socketPath, maxReceiveMessageBytes, reconnectDelayMs, clock, random }: TransportOptions): Transport {
  const running = new Set<Call>();
  const channel = createChannel({ socketPath, reconnectDelayMs, clock, random });
  const context: CallContext = { channel, clock, maxReceiveMessageBytes, running };
  const headersOf = createRequestHeaders();
  let isClosed = false;

  function start(path: string, message: Buffer, { timeoutMs, signal }: TransportCallOptions, events: CallEvents): Call {
    signal?.throwIfAborted();
    if (isClosed) throw clientClosed();
    return new Call(context, { headerBlock: headersOf(path, timeoutMs), body: encodeMessage(message), timeoutMs, signal }, events);
  }

  return {
    unary<Request, Response>(method: GrpcMethod<Request, Response, false>, request: Request, options: TransportCallOptions = {}) {
      return new Promise<Response>((resolve, reject) => {
        let received: { response: Response } | undefined;
        const call: Call = start(method.path, method.request.encode(request), options, {
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
    stream(method, request, options = {}) {
      return streamMessages(
        (bytes) => method.response.decode(bytes),
        (events) => start(method.path, method.request.encode(request), options, events),
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
