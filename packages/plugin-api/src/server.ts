import { errorMessage } from '@nodeagent/api';
import { implementMethod, type ServedMethod, type ServeGrpcOptions, serveGrpc } from '@nodeagent/grpc';
import { answerOf, pluginError, statusError } from './errors.js';
import { grpcMethodOf, type Implementation, type Method, type PluginService } from './method.js';

/** A service and its implementation. */
export interface ServedService {
  readonly service: PluginService;
  readonly implementation: Implementation<PluginService>;
}

/** Pairs a service with its implementation; missing methods respond with Unimplemented. */
export function served<S extends PluginService>(service: S, implementation: Implementation<S>): ServedService {
  return { service, implementation: implementation as Implementation<PluginService> };
}

/** A running plugin server. */
export interface PluginServer {
  readonly socketPath: string;
  /** Cancels running calls and removes the socket; idempotent. */
  close(): Promise<void>;
}

/** Options of {@link servePlugin}. */
export type ServePluginOptions = Pick<ServeGrpcOptions, 'maxReceiveMessageBytes'>;

/** Serves services on a unix socket, as plugins do; replaces an existing socket file. Rejects with `PluginListenFailed`. */
export async function servePlugin(
  socketPath: string,
  services: readonly ServedService[],
  options: ServePluginOptions = {},
): Promise<PluginServer> {
  const methods = services.flatMap(({ service, implementation }) =>
    Object.entries(service).map(([name, method]) => servedMethod(name, method, implementation)),
  );
  const cancelReason = () => statusError('Canceled', 'context canceled');
  try {
    const server = await serveGrpc({ ...options, socketPath, methods, replace: 'any', statusOf: answerOf, cancelReason });
    return { socketPath, close: () => server.destroy() };
  } catch (error) {
    throw pluginError(error);
  }
}

function servedMethod(name: string, method: Method, implementation: Implementation<PluginService>): ServedMethod {
  const { response, streams, ...grpcMethod } = grpcMethodOf(method);
  const encode = (answer: object) => {
    try {
      return response.encode(answer);
    } catch (error) {
      throw statusError('Internal', `Error serializing response: ${errorMessage(error)}`, error);
    }
  };
  const codec = { ...grpcMethod, response: { ...response, encode } };
  const handle = (request: object, signal: AbortSignal) => {
    const implemented = implementation[name];
    if (implemented === undefined) throw statusError('Unimplemented', `unknown method ${method.path}`);
    return implemented(request as never, signal);
  };
  if (streams) return implementMethod({ ...codec, streams: true }, (request, signal) => handle(request, signal) as AsyncIterable<object>);
  return implementMethod({ ...codec, streams: false }, async (request, signal) => handle(request, signal));
}
