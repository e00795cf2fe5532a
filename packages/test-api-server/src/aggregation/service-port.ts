import type { KeyedCertificate } from '../network/authority.js';
import type { ApiRequest, ApiResponse } from '../requests/request.js';

/** Where an aggregated API server answers. */
export interface AggregatedTarget {
  /** Scheme, host and port, such as `https://10.0.0.7:8443`. */
  origin: string;
  /** The name in its certificate: `NAME.NAMESPACE.svc`. */
  serverName: string;
  /** The certificates that must have signed its own, PEM. Absent: it is not verified. */
  ca?: string;
  /** The certificate by which this server shows that it may name users in headers. */
  client?: KeyedCertificate;
}

/** Sends a request to an aggregated API server and streams its response. Rejects if it cannot be reached. */
export type ForwardToService = (target: AggregatedTarget, request: ApiRequest) => Promise<ApiResponse>;
