import { chmod, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { handleServerStreamingCall, handleUnaryCall, Server } from '@grpc/grpc-js';
import { type Clock, errorMessage, systemClock } from '@nodeagent/api';
import { unlinkIfExists } from '@nodeagent/api/files';
import { type GrpcAnswer, grpcError, grpcFailureOf, grpcStatuses } from './errors.js';
import { lazyGrpcServer } from './lazy-grpc-server.js';
import { type CallContext, serveStream, serveUnary } from './serve-call.js';
import type { ServedMethod } from './served-method.js';
import { listenFailed, removeStaleSocket, requireSocketPath } from './socket-file.js';

/** Options of {@link serveGrpc}. */
export interface ServeGrpcOptions {
  /** Absolute path of the socket. */
  socketPath: string;
  /** The served methods; calls of other methods fail with `Unimplemented`. */
  methods: readonly ServedMethod[];
  /**
   * How to handle an existing file at the path. `stale` removes a socket on which no process listens, and rejects with `GrpcSocketInUse` or
   * `GrpcSocketPathTaken` otherwise; `any` removes any file. Default `stale`.
   */
  replace?: 'stale' | 'any';
  /** Creates the folder of the socket if it is missing. Default false. */
  makeFolder?: boolean;
  /** Mode of the socket. Default: according to the umask of the process. */
  mode?: number;
  /** Maximum size of a received message in bytes. Default 4 MiB. */
  maxReceiveMessageBytes?: number;
  /** Maximum number of open calls of one connection; a client waits with further ones. Default 100. */
  maxConcurrentCalls?: number;
  /** The status of a call whose implementation threw. Default: that of a `grpcError`, or `Unknown` with the error's message. */
  statusOf?(error: unknown): GrpcAnswer;
  /** The abort reason of a call that was cancelled or whose deadline passed. Default: a `grpcError` with `Canceled`. */
  cancelReason?(): unknown;
  /** Measures calls and the grace period of `close`. Default: the system clock. */
  clock?: Clock;
}

/** How a server closes, see {@link GrpcServer.close}. */
export interface GrpcCloseOptions {
  /** Grace period of running unary calls in milliseconds. Default 0. */
  gracePeriodMs?: number;
  /** The error of the calls that the server ends. Default: a `grpcError` with `Unavailable`. */
  reason?: unknown;
}

/** A server on a socket. */
export interface GrpcServer {
  readonly socketPath: string;
  /**
   * Rejects new calls, ends streams immediately and unary calls after the grace period, waits up to a second until callers have read their
   * responses, and removes the socket. Idempotent.
   */
  close(options?: GrpcCloseOptions): Promise<void>;
  /** Closes all connections immediately and removes the socket. Idempotent. */
  destroy(): Promise<void>;
}

/**
 * What one connection may occupy besides its open calls: grpc-js sets no limits. The pings find connections that nghttp2 gave up: Node 20 does
 * not close these, not even after the peer has. A peer on a machine whose disk or processor stalls may answer a ping late.
 */
const connectionLimits = {
  'grpc-node.max_session_memory': 10,
  'grpc.keepalive_time_ms': 60_000,
  'grpc.keepalive_timeout_ms': 120_000,
};

/** How long a closing server waits for callers to read their responses, in milliseconds. */
const flushMs = 1000;

/**
 * Serves methods on a Unix socket.
 *
 * @throws NodeAgentError GrpcSocketInUse, GrpcSocketPathTaken, GrpcListenFailed
 */
export async function serveGrpc(options: ServeGrpcOptions): Promise<GrpcServer> {
  const { socketPath, methods, replace = 'stale', makeFolder = false, mode, clock = systemClock } = options;
  const { maxReceiveMessageBytes, maxConcurrentCalls = 100 } = options;
  const context: CallContext = {
    clock,
    answerOf: options.statusOf ?? answerOf,
    canceled: options.cancelReason ?? (() => grpcError('Canceled', 'context canceled')),
    stopping: undefined,
    streams: new Set(),
    unary: new Set(),
  };
  const server = lazyGrpcServer((grpcJs) => {
    const created = new grpcJs.Server({
      ...connectionLimits,
      'grpc.max_concurrent_streams': maxConcurrentCalls,
      ...(maxReceiveMessageBytes === undefined ? {} : { 'grpc.max_receive_message_length': maxReceiveMessageBytes }),
      // forceShutdown destroys the sessions that it finds through channelz.
      'grpc.enable_channelz': 1,
    });
    for (const served of methods) register(created, served, context);
    return created;
  });

  requireSocketPath(socketPath);
  if (replace === 'stale') await removeStaleSocket(socketPath);
  else await unlinkIfExists(socketPath);
  try {
    if (makeFolder) await mkdir(dirname(socketPath), { recursive: true });
    await server.listen(socketPath);
    if (mode !== undefined) await chmod(socketPath, mode);
  } catch (error) {
    server.forceShutdown();
    throw listenFailed(socketPath, error);
  }

  let closing: Promise<void> | undefined;
  async function close({ gracePeriodMs = 0, reason = grpcError('Unavailable', 'the server is closing') }: GrpcCloseOptions): Promise<void> {
    context.stopping = { reason };
    const stopped = server.tryShutdown();
    for (const abort of context.streams) abort(reason);
    let timer = clock.setTimeout(() => {
      for (const abort of context.unary) abort(reason);
      timer = clock.setTimeout(() => server.forceShutdown(), flushMs);
    }, gracePeriodMs);
    await stopped;
    timer.cancel();
  }

  return {
    socketPath,
    close(closeOptions = {}) {
      closing ??= close(closeOptions);
      return closing;
    },
    async destroy() {
      server.forceShutdown();
      await unlinkIfExists(socketPath);
    },
  };
}

/** Responses are encoded before they are passed to grpc-js, so that an encoding error fails only the call. */
const asIs = (bytes: Buffer): Buffer => bytes;

function register(server: Server, served: ServedMethod, context: CallContext): void {
  const { path, request, streams } = served.method;
  const decode = (bytes: Buffer) => request.decode(bytes);
  const unary: handleUnaryCall<unknown, Buffer> = (call, send) => void serveUnary(served, call, send, context);
  const stream: handleServerStreamingCall<unknown, Buffer> = (call) => void serveStream(served, call, context);
  if (streams) server.register(path, stream, asIs, decode, 'serverStream');
  else server.register(path, unary, asIs, decode, 'unary');
}

function answerOf(error: unknown): GrpcAnswer {
  return grpcFailureOf(error) ?? { code: grpcStatuses.indexOf('Unknown'), description: errorMessage(error) };
}
