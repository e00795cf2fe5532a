import type { Client, ClientOptions } from '@grpc/grpc-js';
import { errorMessage, NodeAgentError, systemClock } from '@nodeagent/api';
import { decodeMessage, encodeMessage } from './codec.js';
import { callError, pluginApiErrorCodes } from './errors.js';
import { loadGrpc } from './load-grpc.js';
import type { Message, MessageInit, MessageType } from './message.js';
import type { Method } from './method.js';

const channelOptions: ClientOptions = {
  'grpc.default_authority': 'localhost',
  'grpc.use_local_subchannel_pool': 1,
  'grpc.enable_channelz': 0,
  'grpc.service_config_disable_resolution': 1,
  'grpc.enable_http_proxy': 0,
};

export interface PluginCallOptions {
  /** The call's deadline in milliseconds from now, real time. */
  timeoutMs: number;
  /** Waits so long for somebody to answer on the socket, in milliseconds, and fails with `PluginDialFailed`. Default: not at all. */
  dialTimeoutMs?: number;
  signal?: AbortSignal;
}

/**
 * One call over a connection of its own, which a plugin that was restarted meanwhile cannot have broken. Rejects with
 * `PluginCallFailed` (see `grpcStatusOf`), `PluginDialFailed`, or the signal's reason. gRPC itself is loaded with the first call.
 */
export async function callPlugin<Request extends MessageType, Response extends MessageType>(
  socketPath: string,
  method: Method<Request, Response>,
  request: MessageInit<Request>,
  { timeoutMs, dialTimeoutMs, signal }: PluginCallOptions,
): Promise<Message<Response>> {
  const bytes = encodeMessage(method.request, request);
  const { Client, credentials } = loadGrpc();
  signal?.throwIfAborted();
  const client = new Client(`unix:${socketPath}`, credentials.createInsecure(), channelOptions);
  try {
    if (dialTimeoutMs !== undefined) await dial(client, socketPath, dialTimeoutMs, signal);
    return decodeMessage(method.response, await exchange(client, method.path, bytes, timeoutMs, signal));
  } finally {
    client.close();
  }
}

function dial(client: Client, socketPath: string, timeoutMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    client.waitForReady(systemClock.now() + timeoutMs, (error) => {
      signal?.removeEventListener('abort', abort);
      if (error === undefined) resolve();
      else reject(new NodeAgentError(pluginApiErrorCodes.dialFailed, errorMessage(error), { retryable: true, details: { socketPath } }));
    });
  });
}

const asIs = (bytes: Buffer) => bytes;

function exchange(client: Client, path: string, bytes: Buffer, timeoutMs: number, signal: AbortSignal | undefined): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const call = client.makeUnaryRequest(path, asIs, asIs, bytes, { deadline: systemClock.now() + timeoutMs }, (error, response) => {
      signal?.removeEventListener('abort', cancel);
      if (error === null && response !== undefined) resolve(response);
      else reject(signal?.aborted ? signal.reason : callError(error));
    });
    const cancel = () => call.cancel();
    signal?.addEventListener('abort', cancel, { once: true });
  });
}
