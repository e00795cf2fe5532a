import { Client, type ClientOptions, credentials } from '@grpc/grpc-js';
import { criError } from './errors.js';

/** Largest message that a kubelet takes from a runtime, in bytes. */
export const maxMessageBytes = 16 * 1024 * 1024;

const channelOptions: ClientOptions = {
  'grpc.max_receive_message_length': maxMessageBytes,
  'grpc.max_send_message_length': -1,
  // A runtime that restarts is used again about a second after its socket is back, at the latest.
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1000,
  // Nothing is shared with other clients of the process: close() closes the connection.
  'grpc.use_local_subchannel_pool': 1,
  'grpc.enable_channelz': 0,
  'grpc.service_config_disable_resolution': 1,
  'grpc.enable_http_proxy': 0,
};

/** The connection to one socket, made with the first call. */
export interface Connection {
  readonly endpoint: string;
  client(): Client;
  /** Has `cancel` called when the connection closes, until the function that it returns is called. */
  track(cancel: () => void): () => void;
  readonly closed: boolean;
  close(): void;
}

export function createConnection(path: string): Connection {
  let client: Client | undefined;
  let closed = false;
  const running = new Set<() => void>();
  return {
    endpoint: `unix://${path}`,
    client() {
      if (closed) throw criError('CRI_CLIENT_CLOSED', 'the CRI client is closed');
      client ??= new Client(`unix:${path}`, credentials.createInsecure(), channelOptions);
      return client;
    },
    track(cancel) {
      running.add(cancel);
      return () => running.delete(cancel);
    },
    get closed() {
      return closed;
    },
    close() {
      closed = true;
      for (const cancel of running) cancel();
      client?.close();
      client = undefined;
    },
  };
}
