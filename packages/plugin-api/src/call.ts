import { createGrpcClient } from '@nodeagent/grpc';
import type { Message, MessageInit, MessageType } from '@nodeagent/protobuf';
import { pluginError } from './errors.js';
import { grpcMethodOf, type Method } from './method.js';

export interface PluginCallOptions {
  /** The call's deadline in milliseconds from now, real time. Default: none. */
  timeoutMs?: number;
  /** How long to wait for a server on the socket, in milliseconds, before the call fails with `PluginDialFailed`. Default: no wait. */
  dialTimeoutMs?: number;
  signal?: AbortSignal;
}

/**
 * One call over a separate connection, so that an earlier restart of the plugin does not affect it. Rejects with `PluginCallFailed` (see
 * `grpcStatusOf`), `PluginDialFailed`, or the signal's reason.
 */
export async function callPlugin<Request extends MessageType, Response extends MessageType>(
  socketPath: string,
  method: Method<Request, Response, false>,
  request: MessageInit<Request>,
  { timeoutMs, dialTimeoutMs, signal }: PluginCallOptions = {},
): Promise<Message<Response>> {
  const client = createGrpcClient({ socketPath });
  const abort = signal === undefined ? {} : { signal };
  try {
    if (dialTimeoutMs !== undefined) await client.connect({ timeoutMs: dialTimeoutMs, ...abort });
    return (await client.unary(grpcMethodOf(method), request, {
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...abort,
    })) as Message<Response>;
  } catch (error) {
    throw signal?.aborted ? signal.reason : pluginError(error);
  } finally {
    client.close();
  }
}

/**
 * The responses of one streaming call, over a separate connection that is closed when the iteration ends. Throws as {@link callPlugin} rejects.
 * The call starts with the first `next()`.
 */
export async function* streamPlugin<Request extends MessageType, Response extends MessageType>(
  socketPath: string,
  method: Method<Request, Response, true>,
  request: MessageInit<Request>,
  { timeoutMs, dialTimeoutMs, signal }: PluginCallOptions = {},
): AsyncGenerator<Message<Response>, void, undefined> {
  const client = createGrpcClient({ socketPath });
  const abort = signal === undefined ? {} : { signal };
  try {
    if (dialTimeoutMs !== undefined) await client.connect({ timeoutMs: dialTimeoutMs, ...abort });
    const responses = client.stream(grpcMethodOf(method), request, { ...(timeoutMs !== undefined && { timeoutMs }), ...abort });
    for await (const response of responses) yield response as Message<Response>;
  } catch (error) {
    throw signal?.aborted ? signal.reason : pluginError(error);
  } finally {
    client.close();
  }
}
