import type { Client, ClientOptions } from '@grpc/grpc-js';
import { errorMessage, NodeAgentError, systemClock } from '@nodeagent/api';
import type { GrpcCallOptions, GrpcClientOptions } from './client-options.js';
import { grpcError, grpcErrorCodes, grpcStatuses } from './errors.js';
import { loadGrpcJs } from './load-grpc-js.js';

/** What one call needs from its connection. */
export interface RunningCall {
  readonly client: Client;
  readonly deadline: { deadline?: number };
  /** The error to fail with, from grpc-js's. */
  failed(error: unknown): unknown;
  /** Has `cancel` called when the signal aborts or the connection closes, until the function that it returns is called. */
  cancelWith(cancel: () => void): () => void;
}

/** The connection to one socket, made with the first call. */
export interface Connection {
  start(options: GrpcCallOptions): Promise<RunningCall>;
  close(): void;
}

export function createConnection({ socketPath, maxReceiveMessageBytes, reconnectDelayMs }: GrpcClientOptions): Connection {
  const channelOptions: ClientOptions = {
    ...(maxReceiveMessageBytes === undefined ? {} : { 'grpc.max_receive_message_length': maxReceiveMessageBytes }),
    ...(reconnectDelayMs === undefined
      ? {}
      : { 'grpc.initial_reconnect_backoff_ms': reconnectDelayMs.min, 'grpc.max_reconnect_backoff_ms': reconnectDelayMs.max }),
    // Nothing is shared with other clients of the process: close() closes the connection.
    'grpc.use_local_subchannel_pool': 1,
    'grpc.enable_channelz': 0,
    'grpc.service_config_disable_resolution': 1,
    'grpc.enable_http_proxy': 0,
  };
  let created: Promise<Client> | undefined;
  let closed = false;
  const running = new Set<() => void>();

  async function createClient(): Promise<Client> {
    const { Client, credentials } = await loadGrpcJs();
    return new Client(`unix:${socketPath}`, credentials.createInsecure(), channelOptions);
  }

  return {
    async start({ timeoutMs, signal }) {
      signal?.throwIfAborted();
      if (closed) throw clientClosed();
      created ??= createClient();
      const client = await created;
      signal?.throwIfAborted();
      if (closed) throw clientClosed();
      return {
        client,
        deadline: timeoutMs === undefined ? {} : { deadline: systemClock.now() + timeoutMs },
        failed(error) {
          if (signal?.aborted) return signal.reason;
          return closed ? clientClosed() : callFailed(error);
        },
        cancelWith(cancel) {
          running.add(cancel);
          signal?.addEventListener('abort', cancel, { once: true });
          return () => {
            running.delete(cancel);
            signal?.removeEventListener('abort', cancel);
          };
        },
      };
    },
    close() {
      closed = true;
      for (const cancel of running) cancel();
      // A client that could not be created has rejected its calls, and has nothing to close.
      void created?.then(
        (client) => client.close(),
        () => {},
      );
    },
  };
}

function clientClosed(): NodeAgentError {
  return new NodeAgentError(grpcErrorCodes.clientClosed, 'the gRPC client is closed');
}

function callFailed(error: unknown): NodeAgentError {
  const { code, details } = (error ?? {}) as { code?: number; details?: string };
  return grpcError(grpcStatuses[code ?? 2] ?? 'Unknown', details ?? errorMessage(error), error);
}
