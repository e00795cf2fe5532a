import {
  type Clock,
  checkOptionNames,
  errorMessage,
  invalidOption,
  type Logger,
  type OptionNames,
  silentLogger,
  systemClock,
} from '@nodeagent/api';
import type { CallOptions, ImageService, RuntimeService } from '@nodeagent/cri-api';
import type { GrpcCallOptions } from '@nodeagent/grpc';
import { type OnCriCall, report } from './call-record.js';
import { checkRuntime, type RuntimeFacts } from './check-runtime.js';
import { type Connection, createConnection } from './connection.js';
import { callTimeoutMs, defaultRequestTimeoutMs, maxTimeoutMs } from './deadline.js';
import { socketPath } from './endpoint.js';
import { criError } from './errors.js';
import { imageServiceMethods, runtimeServiceMethods } from './generated/codec.js';
import type { CriMethodCodec, MethodTable, ServiceOf } from './method.js';
import { readStream } from './stream-call.js';

/** Options of {@link createCriClient}. */
export interface CriClientOptions {
  /** `unix:///path/to/socket`, or the absolute path of the socket. */
  endpoint: string;
  /** Endpoint of the image service, if it has a separate socket. Default: `endpoint`. */
  imageEndpoint?: string;
  /** The kubelet's runtimeRequestTimeout in milliseconds, which determines the deadline of each call; 0 for no deadlines. Default 120000. */
  timeoutMs?: number;
  /** Called after each call, with its outcome. */
  onCall?: OnCriCall;
  /** Silent by default. */
  logger?: Logger;
  /** Measures calls for `onCall`. Deadlines are gRPC's and run in real time. Default: the system clock. */
  clock?: Clock;
}

const optionNames: OptionNames<CriClientOptions> = {
  endpoint: true,
  imageEndpoint: true,
  timeoutMs: true,
  onCall: true,
  logger: true,
  clock: true,
};

/** A client of a container runtime behind a CRI socket. All methods may be called concurrently. */
export interface CriClient {
  /** RuntimeService of the endpoint. Usable without `connect`: each call connects if there is no connection. */
  readonly runtime: RuntimeService;
  /** ImageService of `imageEndpoint`. */
  readonly image: ImageService;
  /**
   * Checks that the runtime responds and serves the version of the CRI that a kubelet requires. Returns its name and versions. Idempotent.
   *
   * @throws NodeAgentError CRI_VERSION_UNSUPPORTED, or the code of the failed call (CRI_UNAVAILABLE with a hint when the socket is missing)
   */
  connect(signal?: AbortSignal): Promise<RuntimeFacts>;
  /** Ends running calls with CRI_CANCELLED and closes the connections; later calls fail with CRI_CLIENT_CLOSED. Idempotent. */
  close(): void;
}

/**
 * Creates a client of the CRI services behind a unix socket. It does not connect until the first call. After a restart of the runtime the
 * client reconnects; until then calls fail with CRI_UNAVAILABLE at once.
 *
 * Every error is a NodeAgentError: `code` is the gRPC status (`CRI_NOT_FOUND`), `message` is the runtime's, `details` has
 * `method`, `grpcCode` and `grpcStatus`. A call whose signal aborts rejects with the signal's reason.
 *
 * A stream's call starts with the first `next()` and ends with the loop; each loop over the same iterable is a separate call.
 *
 * @throws NodeAgentError CRI_ENDPOINT_INVALID, InvalidOption
 */
export function createCriClient(options: CriClientOptions): CriClient {
  checkOptionNames('createCriClient', options, optionNames);
  const { timeoutMs = defaultRequestTimeoutMs, onCall, logger = silentLogger, clock = systemClock } = options;
  if (!(timeoutMs >= 0)) {
    throw invalidOption('timeoutMs', 'a number of milliseconds from 0', timeoutMs);
  }
  const runtimePath = socketPath(options.endpoint, 'endpoint');
  const imagePath = options.imageEndpoint === undefined ? runtimePath : socketPath(options.imageEndpoint, 'imageEndpoint');
  const runtimeConnection = createConnection(runtimePath);
  const imageConnection = imagePath === runtimePath ? runtimeConnection : createConnection(imagePath);

  const runtime: RuntimeService = serviceOf(runtimeServiceMethods, runtimeConnection);
  const image: ImageService = serviceOf(imageServiceMethods, imageConnection);

  function serviceOf<Methods extends MethodTable>(methods: Methods, connection: Connection): ServiceOf<Methods> {
    const calls = Object.entries(methods).map(([name, method]) => [
      name,
      method.streams ? streamCaller(connection, method) : unaryCaller(connection, method),
    ]);
    return Object.fromEntries(calls);
  }

  function transportOptions(method: AnyMethod, request: unknown, call: CallOptions): GrpcCallOptions {
    const callMs = call.timeoutMs ?? callTimeoutMs(method, requestedSeconds(request), timeoutMs);
    return { timeoutMs: callMs > 0 && callMs <= maxTimeoutMs ? callMs : undefined, signal: call.signal };
  }

  function unaryCaller(connection: Connection, method: AnyMethod): UnaryCall {
    const grpcMethod = { ...encodable(method), streams: false } as const;
    const call = async (request: unknown, options: CallOptions = {}): Promise<unknown> => {
      try {
        return await connection.open().unary(grpcMethod, request, transportOptions(method, request, options));
      } catch (cause) {
        throw connection.errorOf(cause, method, options.signal);
      }
    };
    return onCall === undefined ? call : recorded(call, method, onCall);
  }

  function recorded(call: UnaryCall, method: AnyMethod, listener: OnCriCall): UnaryCall {
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

  function streamCaller(connection: Connection, method: AnyMethod) {
    const grpcMethod = { ...encodable(method), streams: true } as const;
    return (request: unknown, call: CallOptions = {}): AsyncIterable<unknown> => ({
      [Symbol.asyncIterator]() {
        let started = 0;
        return readStream({
          begin() {
            started = clock.monotonic();
            return connection.open().stream(grpcMethod, request, transportOptions(method, request, call));
          },
          errorOf: (cause) => connection.errorOf(cause, method, call.signal),
          ended(messages, error) {
            if (!onCall) return;
            const milliseconds = clock.monotonic() - started;
            report(onCall, logger, method, { request, messages, ...(error === undefined ? {} : { error }), milliseconds });
          },
        });
      },
    });
  }

  return {
    runtime,
    image,
    async connect(signal) {
      const callOptions = signal === undefined ? {} : { signal };
      const facts = await checkRuntime(runtime, runtimeConnection.endpoint, callOptions, logger);
      if (imageConnection !== runtimeConnection) await image.imageFsInfo({}, callOptions);
      const { runtimeName, runtimeVersion, runtimeApiVersion, cgroupDriver } = facts;
      const { endpoint } = runtimeConnection;
      logger.info({ endpoint, runtimeName, runtimeVersion, runtimeApiVersion, cgroupDriver }, 'connected to the container runtime');
      return facts;
    },
    close() {
      runtimeConnection.close();
      imageConnection.close();
    },
  };
}

type AnyMethod = CriMethodCodec<unknown, unknown, boolean>;
type UnaryCall = (request: unknown, options?: CallOptions) => Promise<unknown>;

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
