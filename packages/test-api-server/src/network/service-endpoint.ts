import type { ApiObject } from '../objects.js';
import type { ObjectStore } from '../store/object-store.js';

/**
 * Returns the URL (scheme, host and port) at which a Service responds outside of the cluster's network; undefined for Services that
 * have endpoints.
 */
export type ServiceUrls = (namespace: string, name: string) => string | undefined;

/** A port of a Service. */
export interface ServiceReference {
  namespace: string;
  name: string;
  port: number;
}

/** An address and port at which a Service responds. */
export interface ServerEndpoint {
  host: string;
  port: number;
  /** Default `https`. */
  scheme?: 'http' | 'https';
}

/** What is known about Services. */
export interface ServiceSources {
  store: ObjectStore;
  serviceUrls: ServiceUrls;
}

interface ServicePort {
  name?: string;
  port: number;
}

interface Slice {
  endpoints?: { addresses?: string[]; conditions?: { ready?: boolean } }[] | null;
  ports?: { name?: string; port?: number }[] | null;
}

/** The URL of a Service, or its first ready endpoint, or why there is none. */
export function serviceEndpoint(
  { store, serviceUrls }: ServiceSources,
  { namespace, name, port }: ServiceReference,
): { endpoint?: ServerEndpoint; unreachable?: string } {
  const url = serviceUrls(namespace, name);
  if (url !== undefined) return { endpoint: endpointOfUrl(url) };
  const service = store.get('/services', namespace, name);
  if (service === undefined) return { unreachable: `service ${JSON.stringify(name)} not found` };
  const { type, externalName, ports = [] } = service.spec as { type?: string; externalName?: string; ports?: ServicePort[] };
  if (type === 'ExternalName' && externalName) return { endpoint: { host: externalName, port } };
  const portName = ports.find((each) => each.port === port)?.name ?? '';
  const endpoint = readyEndpoint(store, { namespace, name, portName });
  return endpoint ? { endpoint } : { unreachable: `no endpoints available for service ${JSON.stringify(name)}` };
}

/** The first ready endpoint of a Service for its port with this name, which may be empty. */
export function readyEndpoint(
  store: ObjectStore,
  { namespace, name, portName }: { namespace: string; name: string; portName: string },
): ServerEndpoint | undefined {
  for (const { endpoints, ports } of slicesOf(store, namespace, name)) {
    const host = endpoints?.find(({ conditions }) => conditions?.ready !== false)?.addresses?.[0];
    const port = ports?.find((each) => (each.name ?? '') === portName)?.port;
    if (host && port) return { host, port };
  }
  return undefined;
}

/** The EndpointSlices of a Service. */
export const slicesOf = (store: ObjectStore, namespace: string, name: string): Slice[] =>
  store.list('discovery.k8s.io/endpointslices', namespace).filter(isOf(name)) as Slice[];

const isOf =
  (service: string) =>
  ({ metadata }: ApiObject): boolean =>
    metadata.labels?.['kubernetes.io/service-name'] === service;

function endpointOfUrl(text: string): ServerEndpoint {
  const { protocol, hostname, port } = new URL(text);
  const scheme = protocol === 'http:' ? 'http' : 'https';
  return { scheme, host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port) || (scheme === 'http' ? 80 : 443) };
}
