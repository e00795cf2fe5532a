import type { ApiRequest, ApiResponse, ServerNetwork } from '@nodeagent/test-api-server';
import type { ExploreOptions } from './options.js';

/**
 * A network whose HTTP requests below `/NAME` are those of the instance with this name, and go to `handle`. The path identifies the instance, as clients
 * of Go send no token without TLS.
 */
export function httpEntry(
  network: ServerNetwork,
  handle: (name: string, request: ApiRequest) => Promise<ApiResponse> | undefined,
): ServerNetwork {
  return {
    ...network,
    serve: (handlers, address) =>
      network.serve(
        {
          ...handlers,
          handle(request) {
            const { name, path } = split(request.url);
            const { authorization, ...headers } = request.headers ?? {};
            return handle(name, { ...request, url: path, headers }) ?? handlers.handle(request);
          },
          upgradeTarget: (request) => handlers.upgradeTarget({ ...request, url: split(request.url).path }),
        },
        address,
      ),
  };
}

/** The name of the instance, empty for other clients, and the path in the API. */
function split(url: string): { name: string; path: string } {
  const [, name = '', path = url] = /^\/(controller-\d+)(\/.*)$/.exec(url) ?? [];
  return { name, path };
}

/** Options whose runs have the same certificates and keys, as the objects with them are compared. */
export function withSameKeys(options: ExploreOptions): ExploreOptions {
  const { network } = options;
  if (network === undefined) return options;
  const { createTokenKeys } = network;
  const authority = network.createAuthority();
  const privateKey = createTokenKeys?.().privateKey;
  return {
    ...options,
    network: {
      ...network,
      createAuthority: (known) => (known ? network.createAuthority(known) : authority),
      ...(createTokenKeys && { createTokenKeys: (known) => createTokenKeys(known ?? privateKey) }),
    },
  };
}
