import { errorMessage } from '@nodeagent/api';
import type { ApiContext } from '../context.js';
import { nodePortEndpoint, type ProxiedKind, podEndpoint, readProxyName, servicePortEndpoint } from '../network/proxy-endpoint.js';
import type { ForwardToService } from '../network/service-target.js';
import type { ApiObject } from '../objects.js';
import { requireObject } from '../operations/update.js';
import type { ServedResource } from '../registry/resource.js';
import { serviceUnavailable } from '../status.js';
import type { ApiRequest, ApiResponse } from './request.js';
import type { RequestInfo } from './request-info.js';

/** Ports of proxied requests. */
export interface ProxyPorts {
  context: ApiContext;
  forward: ForwardToService;
  /** Proxies a request to the node's own server. */
  proxy(definition: ServedResource, object: ApiObject, info: RequestInfo, request: ApiRequest): Promise<ApiResponse>;
}

/** A request for the subresource `proxy` of a pod, a Service or a node. */
export interface ProxyCall {
  definition: ServedResource;
  info: RequestInfo;
  request: ApiRequest;
}

const kinds: Readonly<Record<string, ProxiedKind>> = { pods: 'pod', services: 'service', nodes: 'node' };

/** Whether a request is for the subresource `proxy` of a pod, a Service or a node. */
export const isProxied = ({ group, resource, subresource }: RequestInfo): boolean =>
  group === '' && subresource === 'proxy' && kinds[resource] !== undefined;

/**
 * Passes a request on to a pod, an endpoint of a Service or a node. Certificates are not verified, except that of the node's own server. Throws 503 if it cannot be reached: Kubernetes
 * documentation, "Access Services Running on Clusters: Manually constructing apiserver proxy URLs".
 */
export async function proxyRequest(ports: ProxyPorts, { definition, info, request }: ProxyCall): Promise<ApiResponse> {
  const { context } = ports;
  const kind = kinds[info.resource] as ProxiedKind;
  const target = readProxyName(kind, info.name ?? '');
  const object = requireObject(context, definition, { name: target.name, ...(info.namespace && { namespace: info.namespace }) });
  const endpoint =
    kind === 'pod'
      ? podEndpoint(object, target)
      : kind === 'service'
        ? servicePortEndpoint(context, object, target)
        : nodePortEndpoint(object, target);
  if (endpoint === undefined) return ports.proxy(definition, object, info, request);
  const { method = 'GET', headers, url } = request;
  const [path = '', ...query] = url.split('?');
  const wanted = `${info.rest ? `/${info.rest}` : ''}${path.endsWith('/') ? '/' : ''}`;
  const question = query.length > 0 ? `?${query.join('?')}` : '';
  if (wanted === '' && (method === 'GET' || method === 'HEAD'))
    return { status: 301, headers: { location: `${path}/${question}` }, body: '' };
  const forwarded = { ...request, url: `${wanted || '/'}${question}`, headers: { ...headers, 'x-forwarded-uri': path } };
  let response: ApiResponse;
  try {
    response = await ports.forward({ endpoint }, forwarded);
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
