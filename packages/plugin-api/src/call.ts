import { createGrpcClient } from '@nodeagent/grpc';
import { pluginError } from './errors.js';
import type { Message, MessageInit, MessageType } from './message.js';
import { grpcMethodOf, type Method } from './method.js';

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
  const client = createGrpcClient({ socketPath });
  const abort = signal === undefined ? {} : { signal };
  try {
    if (dialTimeoutMs !== undefined) await client.connect({ timeoutMs: dialTimeoutMs, ...abort });
    return (await client.unary(grpcMethodOf(method), request, { timeoutMs, ...abort })) as Message<Response>;
  } catch (error) {
    throw signal?.aborted ? signal.reason : pluginError(error);
  } finally {
    client.close();
  }
}
