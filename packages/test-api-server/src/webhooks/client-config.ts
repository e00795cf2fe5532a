import type { ApiObject } from '../objects.js';
import type { ObjectStore } from '../store/object-store.js';
import type { WebhookCall } from './webhook-port.js';

/** How to reach a webhook: Kubernetes API reference, "WebhookClientConfig". */
export interface WebhookClientConfig {
  url?: string;
  service?: { namespace: string; name: string; path?: string; port?: number };
  /** Base64 of PEM. */
  caBundle?: string;
}

/** The target of a call. */
export function targetOf(config: WebhookClientConfig, store: ObjectStore, query: string): Omit<WebhookCall, 'body' | 'signal'> {
  const ca = config.caBundle ? { ca: atob(config.caBundle) } : {};
  if (config.service === undefined) return { url: withQuery(config.url ?? '', query), ...ca };
  const { namespace, name, path = '/', port = 443 } = config.service;
  const service = { namespace, name, port, path };
  return { url: withQuery(`https://${name}.${namespace}.svc:${port}${path}`, query), service, ...serviceEndpoint(store, service), ...ca };
}

const withQuery = (url: string, query: string) => (query ? `${url}${url.includes('?') ? '&' : '?'}${query}` : url);

interface ServicePort {
  name?: string;
  port: number;
}

interface Slice {
  endpoints?: { addresses?: string[]; conditions?: { ready?: boolean } }[] | null;
  ports?: { name?: string; port?: number }[] | null;
}

/** The first ready endpoint of a service, or why there is none. */
export function serviceEndpoint(
  store: ObjectStore,
  { namespace, name, port }: Omit<NonNullable<WebhookCall['service']>, 'path'>,
): Pick<WebhookCall, 'endpoint' | 'unreachable'> {
  const service = store.get('/services', namespace, name);
  if (service === undefined) return { unreachable: `service ${JSON.stringify(name)} not found` };
  const { type, externalName, ports = [] } = service.spec as { type?: string; externalName?: string; ports?: ServicePort[] };
  if (type === 'ExternalName' && externalName) return { endpoint: { host: externalName, port } };
  const portName = ports.find((each) => each.port === port)?.name ?? '';
  const slices = store.list('discovery.k8s.io/endpointslices', namespace).filter(isOf(name)) as Slice[];
  for (const slice of slices) {
    const host = slice.endpoints?.find(({ conditions }) => conditions?.ready !== false)?.addresses?.[0];
    const target = slice.ports?.find((each) => (each.name ?? '') === portName)?.port;
    if (host && target) return { endpoint: { host, port: target } };
  }
  return { unreachable: `no endpoints available for service ${JSON.stringify(name)}` };
}

const isOf =
  (service: string) =>
  ({ metadata }: ApiObject): boolean =>
    metadata.labels?.['kubernetes.io/service-name'] === service;
