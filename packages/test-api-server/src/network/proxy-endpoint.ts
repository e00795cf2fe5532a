import type { Pod } from '@nodeagent/api';
import type { ApiObject } from '../objects.js';
import { badRequest, serviceUnavailable } from '../status.js';
import { nodeEndpoint } from './node-proxy.js';
import { readyEndpoint, type ServerEndpoint, type ServiceSources, serviceEndpoint } from './service-endpoint.js';

/** What has the subresource `proxy`. */
export type ProxiedKind = 'pod' | 'service' | 'node';

/** A pod, Service or node in the path of its subresource `proxy`: `NAME`, `NAME:PORT` or `SCHEME:NAME:PORT`. */
export interface ProxyName {
  scheme: 'http' | 'https';
  name: string;
  /** A number, or the name of a Service's port. Empty: the first port of a pod, the unnamed port of a Service, the kubelet's port of a node. */
  port: string;
}

/** Reads the name in a path. Throws 400. */
export function readProxyName(kind: ProxiedKind, text: string): ProxyName {
  const parts = text.split(':');
  const [scheme = '', name = '', port = ''] = parts.length === 3 ? parts : ['', ...parts];
  if (parts.length <= 3 && name && ['', 'http', 'https'].includes(scheme))
    return { scheme: scheme === 'https' ? 'https' : 'http', name, port };
  throw badRequest(`invalid ${kind} request ${JSON.stringify(text)}`);
}

/** Where a pod responds: Kubernetes documentation, "Access Services Running on Clusters". Throws 400 for a pod without an address. */
export function podEndpoint(pod: ApiObject, { scheme, port }: ProxyName): ServerEndpoint {
  const { status, spec } = pod as Pod;
  const host = status?.podIP ?? status?.podIPs?.[0]?.ip;
  if (!host || /^(127\.|::1$|0\.0\.0\.0$|169\.254\.|fe80:)/.test(host)) throw badRequest('address not allowed');
  const first = spec?.containers.find(({ ports = [] }) => ports.length > 0)?.ports?.[0]?.containerPort;
  return { scheme, host, port: Number(port || (first ?? (scheme === 'https' ? 443 : 80))) };
}

/** Where a port of a node responds; undefined for the port of its kubelet. */
export function nodePortEndpoint(node: ApiObject, { scheme, port }: ProxyName): ServerEndpoint | undefined {
  const own = nodeEndpoint(node);
  return port === '' || Number(port) === own.port ? undefined : { scheme, host: own.host, port: Number(port) };
}

interface ServicePort {
  name?: string;
  port: number;
}

/** Where a Service responds. Throws 503 if it has no endpoint. */
export function servicePortEndpoint(sources: ServiceSources, service: ApiObject, { scheme, name, port }: ProxyName): ServerEndpoint {
  const { namespace = '' } = service.metadata;
  if (sources.serviceUrls(namespace, name) !== undefined)
    return serviceEndpoint(sources, { namespace, name, port: Number(port) }).endpoint as ServerEndpoint;
  const { ports = [] } = service.spec as { ports?: ServicePort[] };
  const isNumber = /^\d+$/.test(port);
  const numbered = isNumber ? ports.find((each) => each.port === Number(port)) : undefined;
  if (isNumber && !numbered) throw serviceUnavailable(`no service port ${port} found for service ${JSON.stringify(name)}`);
  const endpoint = readyEndpoint(sources.store, { namespace, name, portName: isNumber ? (numbered?.name ?? '') : port });
  if (endpoint === undefined) throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(name)}`);
  return { scheme, ...endpoint };
}
