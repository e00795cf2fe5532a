import { Server, ServerCredentials } from '@grpc/grpc-js';
import { type Clock, invalidOption, type Logger, silentLogger, systemClock } from '@nodeagent/api';
import type { ImageService, RuntimeService } from '@nodeagent/cri-api';
import type { OnCriCall } from './call-record.js';
import { maxMessageBytes } from './connection.js';
import { socketPath } from './endpoint.js';
import { criError } from './errors.js';
import { imageServiceMethods, runtimeServiceMethods } from './generated/codec.js';
import type { MethodTable } from './method.js';
import { type RunningCalls, serviceHandlers } from './serve-call.js';
import { bindSocket, removeStaleSocket } from './socket-file.js';

/** What {@link serveCri} serves. A method that is not there answers Unimplemented. */
export interface CriImplementation {
  runtime?: Partial<RuntimeService>;
  image?: Partial<ImageService>;
}

/** Options of {@link serveCri}. */
export interface ServeCriOptions {
  /** Where to listen: `unix:///path/to/socket`, or the absolute path. Missing folders are made. */
  socket: string;
  /** Mode of the socket's file. Default 0o600. */
  mode?: number;
  /** How long `close` lets running calls finish, in milliseconds. Default 5000. */
  gracePeriodMs?: number;
  /** Called after each call, with its outcome. */
  onCall?: OnCriCall;
  /** Silent by default. */
  logger?: Logger;
  /** Times `onCall` and the grace period. Default: the system's clock. */
  clock?: Clock;
}

/** How long callers have to read the last answers of a closing server, in milliseconds. */
const flushMs = 1000;

/** A CRI socket being served. */
export interface CriServer {
  /** Absolute path of the socket. */
  readonly socket: string;
  /** Takes no more calls, ends streams, waits for the other running calls up to the grace period, ends those too, and removes the socket. Idempotent. */
  close(): Promise<void>;
}

/**
 * Serves TypeScript objects as a CRI socket, for a kubelet, crictl or a client of this package.
 *
 * An implementation gets `options.signal`, which aborts when the caller cancels, its deadline passes or the server closes. What it
 * throws becomes the call's status: a NodeAgentError with a code of this package (see {@link criError}) that status, all else Unknown,
 * with the error's message. Streams are read as fast as the caller takes them.
 *
 * @throws NodeAgentError CRI_ENDPOINT_INVALID, InvalidOption, CRI_SOCKET_IN_USE when somebody answers there, CRI_SOCKET_PATH_TAKEN when the path is not
 *   a socket's, CRI_LISTEN_FAILED
 */
export async function serveCri(implementation: CriImplementation, options: ServeCriOptions): Promise<CriServer> {
  const { mode = 0o600, gracePeriodMs = 5000, onCall, logger = silentLogger, clock = systemClock } = options;
  if (!(gracePeriodMs >= 0)) {
    throw invalidOption('gracePeriodMs', 'a number of milliseconds that is not negative', gracePeriodMs);
  }
  const socket = socketPath(options.socket, 'socket');

  const server = new Server({
    'grpc.max_receive_message_length': maxMessageBytes,
    'grpc.max_send_message_length': -1,
    // Only with channelz does forceShutdown know the sessions that it must destroy.
    'grpc.enable_channelz': 1,
  });
  const running: RunningCalls = { streams: new Set(), unary: new Set() };
  const add = (methods: MethodTable, target: object): void => {
    const { definition, handlers } = serviceHandlers(methods, target, running, { clock, logger, ...(onCall ? { onCall } : {}) });
    server.addService(definition, handlers);
  };
  add(runtimeServiceMethods, implementation.runtime ?? {});
  add(imageServiceMethods, implementation.image ?? {});

  await removeStaleSocket(socket);
  await bindSocket(server, ServerCredentials.createInsecure(), socket, mode);
  logger.info({ socket }, 'serving CRI');

  let closing: Promise<void> | undefined;
  async function close(): Promise<void> {
    const stopping = criError('CRI_UNAVAILABLE', 'the CRI server is closing', { retryable: true });
    running.stopping = stopping;
    const stopped = new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
    for (const abort of running.streams) abort(stopping);
    let timer = clock.setTimeout(() => {
      for (const abort of running.unary) abort(stopping);
      timer = clock.setTimeout(() => server.forceShutdown(), flushMs);
    }, gracePeriodMs);
    await stopped;
    timer.cancel();
  }

  return {
    socket,
    close() {
      closing ??= close();
      return closing;
    },
  };
}
