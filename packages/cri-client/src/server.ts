import { type Clock, errorCode, errorMessage, invalidOption, type Logger, NodeAgentError, silentLogger, systemClock } from '@nodeagent/api';
import type { ImageService, RuntimeService } from '@nodeagent/cri-api';
import { type GrpcServer, grpcErrorCodes, type ServeGrpcOptions, serveGrpc } from '@nodeagent/grpc';
import type { OnCriCall } from './call-record.js';
import { maxMessageBytes } from './connection.js';
import { socketPath } from './endpoint.js';
import { type CriErrorCode, criError, grpcCodeOf } from './errors.js';
import { imageServiceMethods, runtimeServiceMethods } from './generated/codec.js';
import { servedMethods } from './served-methods.js';

/** The services of {@link serveCri}. Missing methods respond with Unimplemented. */
export interface CriImplementation {
  runtime?: Partial<RuntimeService>;
  image?: Partial<ImageService>;
}

/** An agent waits in one call for each pod that it stops, and in others while the runtime hangs: a new call must not wait for these. */
const maxConcurrentCalls = 2_000;

/** Options of {@link serveCri}. */
export interface ServeCriOptions {
  /** The socket to listen on: `unix:///path/to/socket`, or the absolute path. Missing folders are created. */
  socket: string;
  /** Mode of the socket's file. Default 0o600. */
  mode?: number;
  /** How long `close` waits for running calls, in milliseconds. Default 5000. */
  gracePeriodMs?: number;
  /** Called after each call, with its outcome. */
  onCall?: OnCriCall;
  /** Silent by default. */
  logger?: Logger;
  /** Clock for `onCall` and the grace period. Default: the system clock. */
  clock?: Clock;
}

/** A running CRI server. */
export interface CriServer {
  /** Absolute path of the socket. */
  readonly socket: string;
  /** Rejects new calls, ends streams, waits for running calls up to the grace period, cancels the rest, and removes the socket. Idempotent. */
  close(): Promise<void>;
}

/**
 * Serves TypeScript objects as a CRI socket, for a kubelet, crictl or a client of this package.
 *
 * An implementation gets `options.signal`, which aborts when the caller cancels, its deadline passes or the server closes. A thrown error
 * becomes the call's status, with the error's message: a NodeAgentError with a code of this package (see {@link criError}) its status, all
 * others Unknown. Streams are read as fast as the caller consumes them.
 *
 * @throws NodeAgentError CRI_ENDPOINT_INVALID, InvalidOption, CRI_SOCKET_IN_USE if another process serves the socket, CRI_SOCKET_PATH_TAKEN if the path
 *   is not a socket, CRI_LISTEN_FAILED
 */
export async function serveCri(implementation: CriImplementation, options: ServeCriOptions): Promise<CriServer> {
  const { mode = 0o600, gracePeriodMs = 5000, onCall, logger = silentLogger, clock = systemClock } = options;
  if (!(gracePeriodMs >= 0)) {
    throw invalidOption('gracePeriodMs', 'a number of milliseconds from 0', gracePeriodMs);
  }
  const socket = socketPath(options.socket, 'socket');

  const callOptions = { logger, ...(onCall ? { onCall } : {}) };
  const server = await listen({
    socketPath: socket,
    methods: [
      ...servedMethods(runtimeServiceMethods, implementation.runtime ?? {}, callOptions),
      ...servedMethods(imageServiceMethods, implementation.image ?? {}, callOptions),
    ],
    makeFolder: true,
    mode,
    maxReceiveMessageBytes: maxMessageBytes,
    maxConcurrentCalls,
    statusOf: (error) => ({ code: grpcCodeOf(errorCode(error)), description: errorMessage(error) }),
    cancelReason: () => criError('CRI_CANCELLED', 'context canceled'),
    clock,
  });
  logger.info({ socket }, 'serving CRI');
  return {
    socket,
    close: () => server.close({ gracePeriodMs, reason: criError('CRI_UNAVAILABLE', 'the CRI server is closing', { retryable: true }) }),
  };
}

const listenErrors: Readonly<Record<string, CriErrorCode>> = {
  [grpcErrorCodes.socketInUse]: 'CRI_SOCKET_IN_USE',
  [grpcErrorCodes.socketPathTaken]: 'CRI_SOCKET_PATH_TAKEN',
  [grpcErrorCodes.listenFailed]: 'CRI_LISTEN_FAILED',
};

async function listen(options: ServeGrpcOptions): Promise<GrpcServer> {
  try {
    return await serveGrpc(options);
  } catch (error) {
    const code = listenErrors[errorCode(error) ?? ''];
    if (code === undefined || !(error instanceof NodeAgentError)) throw error;
    const { message, hint, details, cause } = error;
    throw criError(code, message, { hint, details, cause });
  }
}
