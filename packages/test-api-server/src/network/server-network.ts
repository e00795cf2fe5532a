import type { TokenKeys } from '../access/token-keys.js';
import type { ApiRequest, ApiResponse } from '../requests/request.js';
import type { CallWebhook } from '../webhooks/webhook-port.js';
import type { KeyedCertificate, TestAuthority } from './authority.js';
import type { NodeProxy, NodeTarget } from './node-proxy.js';
import type { InProcessNodeServer } from './node-server.js';
import type { ForwardToService } from './service-target.js';

/**
 * The network of the server: clients and nodes outside of this process, their keys and certificates. `machineNetwork` of
 * `@nodeagent/test-api-server/node` is that of Node.
 */
export interface ServerNetwork {
  /** Creates an authority, with the certificate and key of an earlier one or with a new key. */
  createAuthority(known?: KeyedCertificate): TestAuthority;
  /**
   * Creates keys for the tokens of service accounts, with the private key of an earlier run or a new one; `privateKey` is kept for the next.
   * Absent: only the server can verify its tokens.
   */
  createTokenKeys?: (known?: string) => { privateKey: string; keys: TokenKeys };
  /** Serves requests over HTTP/1.1, or with a certificate over HTTPS; rejects if the address is in use. */
  serve(handlers: HttpHandlers, address: HttpAddress): Promise<HttpServer>;
  /** Proxies a plain request to a node and streams its response; rejects with 503 for an unreachable node. */
  forward(target: NodeTarget, request: ApiRequest, proxy: NodeProxy): Promise<ApiResponse>;
  /** Sends a request to an aggregated API server, or to another server of a Service or a pod. */
  forwardToService: ForwardToService;
  /** Calls a webhook over HTTPS. */
  callWebhook: CallWebhook;
}

/** The handlers of an HTTP server. */
export interface HttpHandlers {
  handle(request: ApiRequest): Promise<ApiResponse>;
  /** The target of an upgrade request (exec, attach, portforward); rejects if it is refused. */
  upgradeTarget(request: ApiRequest): Promise<NodeTarget>;
  nodeProxy(): NodeProxy;
  nodeServers(nodeName: string): InProcessNodeServer | undefined;
}

/** Address and certificate of a server. */
export interface HttpAddress {
  host: string;
  port: number;
  tls?: KeyedCertificate & { ca: string };
}

/** A running HTTP server. */
export interface HttpServer {
  port: number;
  /** Resolves when clients in this process have no request in flight. */
  quiet(): Promise<void>;
  close(): Promise<void>;
}
