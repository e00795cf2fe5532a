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

/** The URL with a clean path, as Go's `path.Join` makes it: envtest registers webhooks with `//` before their path. */
function withQuery(text: string, query: string): string {
  const [, origin = '', path = '', own = ''] = /^(https:\/\/[^/?]*)([^?]*)(.*)$/.exec(text) ?? [];
  const clean = `${origin}/${path.split('/').filter(Boolean).join('/')}${own}`;
  return query ? `${clean}${own ? '&' : '?'}${query}` : clean;
}
