import { type ServiceSources, serviceEndpoint } from '../network/service-endpoint.js';
import type { WebhookCall } from './webhook-port.js';

/** How to reach a webhook: Kubernetes API reference, "WebhookClientConfig". */
export interface WebhookClientConfig {
  url?: string;
  service?: { namespace: string; name: string; path?: string; port?: number };
  /** Base64 of PEM. */
  caBundle?: string;
}

/** The target of a call. */
export function targetOf(config: WebhookClientConfig, sources: ServiceSources, query: string): Omit<WebhookCall, 'body' | 'signal'> {
  const ca = config.caBundle ? { ca: atob(config.caBundle) } : {};
  if (config.service === undefined) return { url: withQuery(config.url ?? '', query), ...ca };
  const { namespace, name, port = 443 } = config.service;
  const path = config.service.path || '/';
  const service = { namespace, name, port, path };
  return { url: withQuery(`https://${name}.${namespace}.svc:${port}${path}`, query), service, ...serviceEndpoint(sources, service), ...ca };
}

const withQuery = (url: string, query: string) => (query ? `${url}${url.includes('?') ? '&' : '?'}${query}` : url);
