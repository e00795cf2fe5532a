import { type Clock, errorMessage, type Logger } from '@nodeagent/api';
import type { CallOptions } from '@nodeagent/cri-api';
import type { GrpcCallOptions } from '@nodeagent/grpc';
import { type OnCriCall, report } from './call-record.js';
import type { Connection } from './connection.js';
import { callTimeoutMs, maxTimeoutMs } from './deadline.js';
import { criError } from './errors.js';
import type { CriMethodCodec, MethodTable, ServiceOf } from './method.js';
import { readStream } from './stream-call.js';

export interface ServiceCallsOptions {
  /** Determines the deadline of each call; 0 for no deadlines. */
  timeoutMs: number;
  onCall: OnCriCall | undefined;
  clock: Clock;
  logger: Logger;
}

type AnyMethod = CriMethodCodec<unknown, unknown, boolean>;
type UnaryCall = (request: unknown, options?: CallOptions) => Promise<unknown>;
type StreamCall = (request: unknown, options?: CallOptions) => AsyncIterable<unknown>;

/** Creates the service whose methods are calls over the connection. */
export function serviceOver<Methods extends MethodTable>(
  connection: Connection,
  methods: Methods,
  options: ServiceCallsOptions,
): ServiceOf<Methods> {
  const calls = new ServiceCalls(connection, options);
  // The methods' table has the types of the calls.
  return Object.fromEntries(Object.entries(methods).map(([name, method]) => [name, calls.of(method)])) as ServiceOf<Methods>;
}

class ServiceCalls {
  readonly #connection: Connection;
  readonly #options: ServiceCallsOptions;

  constructor(connection: Connection, options: ServiceCallsOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  of(method: AnyMethod): UnaryCall | StreamCall {
    const { onCall } = this.#options;
    if (method.streams) return this.#stream(method);
    return onCall === undefined ? this.#unary(method) : this.#recorded(this.#unary(method), method, onCall);
  }

  #unary(method: AnyMethod): UnaryCall {
    const connection = this.#connection;
    const grpcMethod = { ...encodable(method), streams: false } as const;
    return async (request, options = {}) => {
      try {
        return await connection.open().unary(grpcMethod, request, this.#transportOptions(method, request, options));
      } catch (cause) {
        throw connection.errorOf(cause, method, options.signal);
      }
    };
  }

  #recorded(call: UnaryCall, method: AnyMethod, listener: OnCriCall): UnaryCall {
    const { clock, logger } = this.#options;
    return async (request, options) => {
      const started = clock.monotonic();
      const record = (outcome: { response: unknown } | { error: unknown }): void =>
        report(listener, logger, method, { request, ...outcome, milliseconds: clock.monotonic() - started });
      try {
        const response = await call(request, options);
        record({ response });
        return response;
      } catch (error) {
        record({ error });
        throw error;
      }
    };
  }

  #stream(method: AnyMethod): StreamCall {
    const connection = this.#connection;
    const { onCall, clock, logger } = this.#options;
    const grpcMethod = { ...encodable(method), streams: true } as const;
    return (request, options = {}) => ({
      [Symbol.asyncIterator]: () => {
        let started = 0;
        return readStream({
          begin: () => {
            started = clock.monotonic();
            return connection.open().stream(grpcMethod, request, this.#transportOptions(method, request, options));
          },
          errorOf: (cause) => connection.errorOf(cause, method, options.signal),
          ended(messages, error) {
            if (!onCall) return;
            const milliseconds = clock.monotonic() - started;
            report(onCall, logger, method, { request, messages, ...(error === undefined ? {} : { error }), milliseconds });
          },
        });
      },
    });
  }

  #transportOptions(method: AnyMethod, request: unknown, call: CallOptions): GrpcCallOptions {
    const callMs = call.timeoutMs ?? callTimeoutMs(method, requestedSeconds(request), this.#options.timeoutMs);
    return { timeoutMs: callMs > 0 && callMs <= maxTimeoutMs ? callMs : undefined, signal: call.signal };
  }
}

/** The method with an error of this package for a request that cannot be encoded. */
function encodable(method: AnyMethod): AnyMethod {
  const encode = (request: unknown): Buffer => {
    try {
      return method.request.encode(request);
    } catch (cause) {
      throw criError('CRI_INVALID_ARGUMENT', `${method.name}: ${errorMessage(cause)}`, { details: { method: method.name }, cause });
    }
  };
  return { ...method, request: { ...method.request, encode } };
}

function requestedSeconds(request: unknown): bigint {
  const timeout = (request as { timeout?: unknown }).timeout;
  return typeof timeout === 'bigint' ? timeout : 0n;
}
