import { type Clock, type Logger, type Random, requirePositive, silentLogger, systemClock, systemRandom } from '@nodeagent/api';
import type { ControllerChoice } from '@nodeagent/test-controllers';
import { type Authorizer, allowAll } from './access/authorizer.js';
import type { ServiceAccountOptions } from './access/token-keys.js';
import { adminUser, type RequestUser } from './access/user.js';
import type { AdmissionChoice } from './admission/chain.js';
import type { AuditEvent } from './audit.js';
import { noNetwork } from './network/no-network.js';
import type { NodeProxyOptions } from './network/node-proxy.js';
import type { InProcessNodeServer } from './network/node-server.js';
import type { PodServers } from './network/pod-network.js';
import type { ServerNetwork } from './network/server-network.js';
import type { ServiceUrls } from './network/service-endpoint.js';
import type { MetricsSource } from './requests/metrics.js';
import type { RequestInfo } from './requests/request-info.js';
import type { ServerStorage } from './store/server-storage.js';
import type { WebhookAnswer, WebhookCall } from './webhooks/webhook-port.js';

/** A request as passed to {@link TestApiServerOptions.onRequest}. */
export interface AnsweredRequest {
  info: RequestInfo;
  user: RequestUser;
  /** HTTP status code; undefined if the connection was cut by a fault. */
  status: number | undefined;
}

/** Options of {@link createTestApiServer}; all have defaults. */
export interface TestApiServerOptions extends ControllerChoice, AdmissionChoice {
  /** Clock of timeouts, bookmarks and latencies. Default: the system clock. */
  clock?: Clock;
  /** Randomness of UIDs, generated names and faults with a probability. Default: the system's. */
  random?: Random;
  /** Default: silent. */
  logger?: Logger;
  /** Minimum number of changes kept for watches and paged lists; older versions get status 410 (`Expired`). Default 10,000. */
  historyLimit?: number;
  /** The CIDR of the addresses of Services, for IPv4. Default `10.96.0.0/16`. */
  serviceClusterIPRange?: string;
  /** Period of bookmarks, in milliseconds. Default 60000. */
  bookmarkPeriodMs?: number;
  /** Users by bearer token. Default: none. */
  tokens?: Readonly<Record<string, RequestUser>>;
  /** Issuer, audiences and keys of the tokens of service accounts. Default: tokens that only this server can verify. */
  serviceAccounts?: ServiceAccountOptions;
  /** The user of requests without credentials; false: they get 401. Default: an administrator. */
  anonymous?: RequestUser | false;
  /** Authorizes requests: a function, or `rbac` for the server's roles and bindings. Default: all requests are allowed. */
  authorizer?: Authorizer | 'rbac';
  /** Called after every write. Default: none. */
  audit?: (event: AuditEvent) => void;
  /** Called after every request, including reads and those whose connection was cut; for a watch at its start. */
  onRequest?: (request: AnsweredRequest) => void;
  /**
   * For clients and nodes outside of this process, and for certificates: `machineNetwork` of `@nodeagent/test-api-server/node`. Default: none;
   * `listen`, client certificates, the signer of certificates and nodes that are not in `nodeServers` fail with `InvalidOption`.
   */
  network?: ServerNetwork;
  /**
   * Answers a call of a webhook in this process; undefined for those that are called over `network`. Default: all are. An answer may take
   * its time on `clock`.
   */
  webhooks?: (call: WebhookCall) => Promise<WebhookAnswer> | undefined;
  /**
   * Returns the URL (scheme, host and port) of a Service that runs outside of the cluster's network: for webhooks, conversion, APIServices and
   * the subresource `proxy`. Its certificate must be that of the Service. Default: requests go to a ready endpoint of the Service.
   */
  serviceUrls?: ServiceUrls;
  /**
   * Returns the HTTP server of a pod in this process, which webhooks, APIServices and the subresource `proxy` use, by address and port. Default:
   * all pods are called over `network`.
   */
  podServers?: PodServers;
  /** How to connect to the HTTP servers of nodes for logs, exec and others. */
  nodeProxy?: NodeProxyOptions;
  /** Returns the HTTP server of a node in this process. Default: all nodes are called over `network`. */
  nodeServers?: (nodeName: string) => InProcessNodeServer | undefined;
  /** Keeps the objects from one run to the next: `await fileStorage(path)` of `@nodeagent/test-api-server/node`. Default: they end with the server. */
  storage?: ServerStorage;
  /** Usage of nodes and pods, for `kubectl top`. Default: no metrics API. */
  metrics?: MetricsSource;
  /** Whether pods get a volume with their service account token, as in a cluster. Default false, because few tests have nodes that can mount it. */
  automountServiceAccountTokens?: boolean;
}

type Optional = 'audit' | 'metrics' | 'storage' | keyof ControllerChoice | keyof AdmissionChoice;

export type EffectiveServerOptions = Required<Omit<TestApiServerOptions, Optional>> & Pick<TestApiServerOptions, Optional>;

/** The options with their defaults. Throws `InvalidOption`. */
export function withDefaults(options: TestApiServerOptions): EffectiveServerOptions {
  requirePositive('historyLimit', options.historyLimit, { integer: true });
  requirePositive('bookmarkPeriodMs', options.bookmarkPeriodMs);
  return {
    clock: systemClock,
    random: systemRandom,
    logger: silentLogger,
    historyLimit: 10_000,
    serviceClusterIPRange: '10.96.0.0/16',
    bookmarkPeriodMs: 60_000,
    tokens: {},
    serviceAccounts: {},
    anonymous: adminUser,
    authorizer: allowAll,
    onRequest: () => {},
    network: noNetwork,
    nodeProxy: {},
    nodeServers: () => undefined,
    serviceUrls: () => undefined,
    podServers: () => undefined,
    webhooks: () => undefined,
    automountServiceAccountTokens: false,
    ...options,
  };
}
