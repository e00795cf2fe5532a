import type {
  MethodDefinition,
  ServerUnaryCall,
  ServerWritableStream,
  ServiceDefinition,
  sendUnaryData,
  UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { type Clock, errorCode, errorMessage, type Logger } from '@nodeagent/api';
import type { CallOptions } from '@nodeagent/cri-api';
import { type OnCriCall, report } from './call-record.js';
import { criError, grpcCodeOf } from './errors.js';
import type { CriMethodCodec, MethodTable } from './method.js';

/** The calls of a server: how to abort each that runs, by its kind. */
export interface RunningCalls {
  /** What calls fail with that still arrive while the server closes. */
  stopping?: Error;
  streams: Set<(reason: unknown) => void>;
  unary: Set<(reason: unknown) => void>;
}

export interface ServeCallOptions {
  clock: Clock;
  logger: Logger;
  onCall?: OnCriCall;
}

type AnyMethod = CriMethodCodec<unknown, unknown, boolean>;
type UnaryCall = ServerUnaryCall<unknown, Buffer>;
type StreamCall = ServerWritableStream<unknown, Buffer>;

/** A service in gRPC's terms, whose methods call those of `target`. */
export function serviceHandlers(
  methods: MethodTable,
  target: object,
  running: RunningCalls,
  options: ServeCallOptions,
): { definition: ServiceDefinition; handlers: UntypedServiceImplementation } {
  const definition: Record<string, MethodDefinition<unknown, unknown>> = {};
  const handlers: UntypedServiceImplementation = {};
  for (const [name, method] of Object.entries(methods)) {
    definition[name] = definitionOf(method);
    const invoke = (request: unknown, callOptions: CallOptions): unknown => {
      const implementation: unknown = Reflect.get(target, name);
      if (typeof implementation !== 'function') {
        throw criError('CRI_UNIMPLEMENTED', `unknown method ${method.name} for service runtime.v1.${method.service}`);
      }
      return Reflect.apply(implementation, target, [request, callOptions]);
    };
    handlers[name] = method.streams
      ? (call: StreamCall) => void serveStream(method, call, invoke, running, options)
      : (call: UnaryCall, callback: sendUnaryData<Buffer>) => void serveUnary(method, call, callback, invoke, running, options);
  }
  return { definition, handlers };
}

const asBuffer = (value: unknown): Buffer => value as Buffer;

/** gRPC gets answers encoded, so that one that cannot be is recorded as the failure of its call. */
function definitionOf(method: AnyMethod): MethodDefinition<unknown, unknown> {
  return {
    path: method.path,
    requestStream: false,
    responseStream: method.streams,
    requestSerialize: (request) => method.request.encode(request),
    requestDeserialize: (bytes) => method.request.decode(bytes),
    responseSerialize: asBuffer,
    responseDeserialize: (bytes) => method.response.decode(bytes),
  };
}

function encodeResponse(method: AnyMethod, response: unknown): Buffer {
  try {
    return method.response.encode(response);
  } catch (cause) {
    throw criError('CRI_INTERNAL', `the answer of ${method.name} cannot be encoded: ${errorMessage(cause)}`, { cause });
  }
}

type Invoke = (request: unknown, options: CallOptions) => unknown;

/** The signal of a call: aborts when the caller is gone, its deadline has passed or the server closes. */
function signalOf(call: UnaryCall | StreamCall, running: Set<(reason: unknown) => void>): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const abort = (reason: unknown): void => controller.abort(reason);
  running.add(abort);
  call.once('cancelled', () => abort(criError('CRI_CANCELLED', 'context canceled')));
  return { signal: controller.signal, release: () => running.delete(abort) };
}

/** The call's own deadline is in the signal; a client behind this server must not add another. */
const optionsOf = (signal: AbortSignal): CallOptions => ({ signal, timeoutMs: 0 });

async function serveUnary(
  method: AnyMethod,
  call: UnaryCall,
  callback: sendUnaryData<Buffer>,
  invoke: Invoke,
  running: RunningCalls,
  { clock, logger, onCall }: ServeCallOptions,
): Promise<void> {
  const { request } = call;
  const started = clock.monotonic();
  const { signal, release } = signalOf(call, running.unary);
  const record = (outcome: { response: unknown } | { error: unknown }): void => {
    if (onCall) report(onCall, logger, method, { request, ...outcome, milliseconds: clock.monotonic() - started });
  };
  try {
    if (running.stopping) throw running.stopping;
    const response = await orAborted(Promise.resolve(invoke(request, optionsOf(signal))), signal);
    const bytes = encodeResponse(method, response);
    record({ response });
    callback(null, bytes);
  } catch (error) {
    record({ error });
    callback(statusOf(error));
  } finally {
    release();
  }
}

async function serveStream(
  method: AnyMethod,
  call: StreamCall,
  invoke: Invoke,
  running: RunningCalls,
  { clock, logger, onCall }: ServeCallOptions,
): Promise<void> {
  const { request } = call;
  const started = clock.monotonic();
  const { signal, release } = signalOf(call, running.streams);
  const record = (messages: number, error?: unknown): void => {
    if (!onCall) return;
    report(onCall, logger, method, {
      request,
      messages,
      ...(error === undefined ? {} : { error }),
      milliseconds: clock.monotonic() - started,
    });
  };
  let messages = 0;
  let iterator: AsyncIterator<unknown> | undefined;
  try {
    if (running.stopping) throw running.stopping;
    iterator = (invoke(request, optionsOf(signal)) as AsyncIterable<unknown>)[Symbol.asyncIterator]();
    while (true) {
      const next = await orAborted(iterator.next(), signal);
      if (next.done) break;
      const room = call.write(encodeResponse(method, next.value));
      messages++;
      if (!room) await orAborted(new Promise((resolve) => call.once('drain', resolve)), signal);
    }
    record(messages);
    call.end();
  } catch (error) {
    record(messages, error);
    call.emit('error', statusOf(error));
    // Not awaited: an iterator that waits for its next item answers only then.
    void Promise.resolve(iterator?.return?.()).catch(() => {});
  } finally {
    release();
  }
}

/** Waits, but not beyond the abort of the signal; leaves nothing behind on it. */
function orAborted<T>(wait: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    void wait.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function statusOf(error: unknown): { code: number; details: string } {
  return { code: grpcCodeOf(errorCode(error)), details: errorMessage(error) };
}
