import type { MethodDefinition, ServerUnaryCall, sendUnaryData, UntypedServiceImplementation } from '@grpc/grpc-js';
import { errorMessage, NodeAgentError, unlinkIfExists } from '@nodeagent/api';
import { decodeMessage, encodeMessage } from './codec.js';
import { answerOf, pluginApiErrorCodes, statusError } from './errors.js';
import { loadGrpc } from './load-grpc.js';
import type { Implementation, Method, PluginService } from './method.js';

/** A service and what serves it. */
export interface ServedService {
  readonly service: PluginService;
  readonly implementation: Implementation<PluginService>;
}

/** Pairs a service with its implementation; methods that are missing answer Unimplemented. */
export function served<S extends PluginService>(service: S, implementation: Implementation<S>): ServedService {
  return { service, implementation: implementation as Implementation<PluginService> };
}

/** A socket that is served. */
export interface PluginServer {
  readonly socketPath: string;
  /** Ends running calls and removes the socket; idempotent. */
  close(): Promise<void>;
}

/** Serves services on a unix socket, as plugins do; replaces a socket file that is there. Rejects with `PluginListenFailed`. */
export async function servePlugin(socketPath: string, services: readonly ServedService[]): Promise<PluginServer> {
  const { Server, ServerCredentials } = loadGrpc();
  const server = new Server({ 'grpc.enable_channelz': 1 });
  for (const { service, implementation } of services) {
    const names = Object.keys(service);
    const definitions = names.map((name) => [name, definitionOf(service[name] as Method)]);
    const handlers = names.map((name) => [name, handlerOf(name, implementation)]);
    server.addService(Object.fromEntries(definitions), Object.fromEntries(handlers) as UntypedServiceImplementation);
  }
  await unlinkIfExists(socketPath);
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix:${socketPath}`, ServerCredentials.createInsecure(), (error) => {
      if (error === null) resolve();
      else reject(new NodeAgentError(pluginApiErrorCodes.listenFailed, `cannot listen on ${socketPath}: ${errorMessage(error)}`));
    });
  });
  return {
    socketPath,
    async close() {
      server.forceShutdown();
      await unlinkIfExists(socketPath);
    },
  };
}

function definitionOf(method: Method): MethodDefinition<unknown, unknown> {
  return {
    path: method.path,
    requestStream: false,
    responseStream: false,
    requestSerialize: (request) => encodeMessage(method.request, request as object),
    requestDeserialize: (bytes) => decodeMessage(method.request, bytes),
    responseSerialize: (response) => encodeMessage(method.response, response as object),
    responseDeserialize: (bytes) => decodeMessage(method.response, bytes),
  };
}

function handlerOf(name: string, implementation: Implementation<PluginService>) {
  return async (call: ServerUnaryCall<object, object>, callback: sendUnaryData<object>) => {
    const controller = new AbortController();
    call.once('cancelled', () => controller.abort(statusError('Canceled', 'context canceled')));
    try {
      const method = implementation[name];
      if (method === undefined) throw statusError('Unimplemented', `unknown method ${call.getPath()}`);
      callback(null, await method(call.request as never, controller.signal));
    } catch (error) {
      callback(answerOf(error));
    }
  };
}
