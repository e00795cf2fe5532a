import type { ApiRequest, ApiResponse, ServerNetwork } from '@nodeagent/test-api-server';

/** A network whose HTTP requests with a bearer token go to `handle` first; it returns undefined for those that are not its own. */
export function httpEntry(
  network: ServerNetwork,
  handle: (token: string, request: ApiRequest) => Promise<ApiResponse> | undefined,
): ServerNetwork {
  return {
    ...network,
    serve: (handlers, address) =>
      network.serve(
        {
          ...handlers,
          handle(request) {
            const { authorization = '', ...headers } = request.headers ?? {};
            return handle(authorization.replace(/^Bearer /, ''), { ...request, headers }) ?? handlers.handle(request);
          },
        },
        address,
      ),
  };
}
