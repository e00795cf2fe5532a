import type { ApiRequest, ApiResponse } from '../requests/request.js';
import { textOf } from '../requests/request.js';
import type { ServerNetwork } from './server-network.js';

/** The HTTP server of a pod in this process. */
export interface InProcessPodServer {
  /** Handles a request. Rejects with the reason if there is no connection. */
  handle(request: ApiRequest): Promise<ApiResponse>;
}

/** Returns the server at an address and port of a pod; undefined for addresses outside of this process. */
export type PodServers = (address: string, port: number) => InProcessPodServer | undefined;

type PodNetwork = Pick<ServerNetwork, 'forwardToService' | 'callWebhook'>;

/** The network of the server with pods in this process: they get plain requests, without TLS. Others may have a certificate of the server's CA. */
export function podNetwork(podServers: PodServers, network: PodNetwork, ownCa: () => string): PodNetwork {
  const withRoots = <T extends { ca?: string }>(target: T) => (target.ca === undefined ? { ...target, roots: ownCa() } : target);
  return {
    async forwardToService(target, request) {
      const { host, port } = target.endpoint;
      // The client's credentials are for this server.
      const { authorization: _, ...headers } = request.headers ?? {};
      const forwarded = { ...request, headers };
      return podServers(host, port)?.handle(forwarded) ?? network.forwardToService(withRoots(target), forwarded);
    },
    async callWebhook(call) {
      const { endpoint, unreachable, url, body, signal } = call;
      if (unreachable !== undefined) throw new Error(unreachable);
      const server = endpoint && podServers(endpoint.host, endpoint.port);
      if (server === undefined) return network.callWebhook(withRoots(call));
      const { host, pathname, search } = new URL(url);
      const headers = { host, accept: 'application/json, */*', 'content-type': 'application/json' };
      const response = await server.handle({ method: 'POST', url: pathname + search, headers, body, signal });
      return { status: response.status, body: await textOf(response) };
    },
  };
}
