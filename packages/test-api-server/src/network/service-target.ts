import type { ApiRequest, ApiResponse } from '../requests/request.js';
import type { KeyedCertificate } from './authority.js';
import type { ServerEndpoint } from './service-endpoint.js';

/** Where the server of a Service or a pod responds. */
export interface ServiceTarget {
  endpoint: ServerEndpoint;
  /** The name that its certificate must have, such as `NAME.NAMESPACE.svc`. Absent: its certificate is not verified. */
  serverName?: string;
  /** The certificates that must have signed its own, PEM. Default: those of the system, and `roots`. */
  ca?: string;
  /** The certificate of this server's CA, PEM, if `ca` is absent. */
  roots?: string;
  /** The certificate by which this server shows that it may name users in headers. */
  client?: KeyedCertificate;
}

/** Sends a request to the server of a Service or a pod and streams its response. Rejects if it cannot be reached. */
export type ForwardToService = (target: ServiceTarget, request: ApiRequest) => Promise<ApiResponse>;
