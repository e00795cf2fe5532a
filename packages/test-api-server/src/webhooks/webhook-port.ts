import type { ServerEndpoint } from '../network/service-endpoint.js';

/** One HTTP call of a webhook: a POST of a review. */
export interface WebhookCall {
  /** With its query; for a service `https://NAME.NAMESPACE.svc:PORT/PATH`. */
  url: string;
  /** The service of the configuration; absent for one with a URL. */
  service?: { namespace: string; name: string; port: number; path: string };
  /** The URL that `serviceUrls` has for the service, or a ready endpoint of it. */
  endpoint?: ServerEndpoint;
  /** Why the service has no endpoint. */
  unreachable?: string;
  /** The certificates that must have signed the webhook's, PEM. Default: those of the system, and `roots`. */
  ca?: string;
  /** The certificate of this server's CA, PEM, if `ca` is absent. */
  roots?: string;
  /** The review, as JSON. */
  body: string;
  /** Aborts when the time of the webhook is over. */
  signal: AbortSignal;
}

/** The answer to a call. */
export interface WebhookAnswer {
  status: number;
  /** JSON, at most 3 MiB. */
  body: string;
}

/** Calls a webhook. Rejects if it cannot be reached; the message is that of the cause. */
export type CallWebhook = (call: WebhookCall) => Promise<WebhookAnswer>;
