import { errorMessage } from '@nodeagent/api';
import type { ApiContext } from '../context.js';
import { podEndpoint, readProxyName, servicePortEndpoint } from '../network/proxy-endpoint.js';
import type { ForwardToService } from '../network/service-target.js';
import { requireObject } from '../operations/update.js';
import type { ServedResource } from '../registry/resource.js';
import { serviceUnavailable } from '../status.js';
import type { ApiRequest, ApiResponse } from './request.js';
import type { RequestInfo } from './request-info.js';

/** A request for the subresource `proxy` of a pod or a Service. */
export interface ProxyCall {
  definition: ServedResource;
  info: RequestInfo;
  request: ApiRequest;
}

/** Whether a request is for the subresource `proxy` of a pod or a Service. */
export const isProxied = ({ group, resource, subresource }: RequestInfo): boolean =>
  group === '' && subresource === 'proxy' && (resource === 'pods' || resource === 'services');

/**
 * Passes a request on to a pod or to an endpoint of a Service. Certificates are not verified. Throws 503 if it cannot be reached: Kubernetes
 * documentation, "Access Services Running on Clusters: Manually constructing apiserver proxy URLs".
 */
export async function proxyRequest(
  context: ApiContext,
  forward: ForwardToService,
  { definition, info, request }: ProxyCall,
): Promise<ApiResponse> {
  const isPod = info.resource === 'pods';
  const target = readProxyName(isPod ? 'pod' : 'service', info.name ?? '');
  const object = requireObject(context, definition, { name: target.name, ...(info.namespace && { namespace: info.namespace }) });
  const endpoint = isPod ? podEndpoint(object, target) : servicePortEndpoint(context, object, target);
  const { method = 'GET', headers, url } = request;
  const [path = '', ...query] = url.split('?');
  const wanted = `${info.rest ? `/${info.rest}` : ''}${path.endsWith('/') ? '/' : ''}`;
  const question = query.length > 0 ? `?${query.join('?')}` : '';
  if (wanted === '' && (method === 'GET' || method === 'HEAD'))
    return { status: 301, headers: { location: `${path}/${question}` }, body: '' };
  const forwarded = { ...request, url: `${wanted || '/'}${question}`, headers: { ...headers, 'x-forwarded-uri': path } };
  let response: ApiResponse;
  try {
    response = await forward({ endpoint }, forwarded);
  } catch (error) {
    throw serviceUnavailable(`error trying to reach service: ${errorMessage(error)}`);
  }
  const { location } = response.headers;
  if (location === undefined) return response;
  const prefix = path.slice(0, path.length - wanted.length);
  return { ...response, headers: { ...response.headers, location: throughProxy(location, prefix, endpoint) } };
}

/** The location of a redirect, for a client of the proxy: paths of the same server continue after `prefix`. */
function throughProxy(location: string, prefix: string, { host, port }: { host: string; port: number }): string {
  const [, authority, path = ''] = /^(?:https?:)?(?:\/\/([^/?#]*))?(.*)$/.exec(location) ?? [];
  const isSame = authority === undefined || authority === host || authority === `${host}:${port}`;
  if (!isSame || !path.startsWith('/') || path.startsWith(`${prefix}/`)) return location;
  return `${prefix}${path}`;
}
