import { type Clock, type Logger, type Random, requirePositive, silentLogger, systemClock, systemRandom } from '@nodeagent/api';
import { type Authorizer, allowAll } from './access/authorizer.js';
import { adminUser, type RequestUser } from './access/user.js';
import type { AuditEvent } from './audit.js';
import type { NodeProxyOptions } from './http/node-proxy.js';
import type { InProcessNodeServer } from './http/node-server.js';
import type { MetricsSource } from './requests/metrics.js';
import type { RequestInfo } from './requests/request-info.js';

/** A request as {@link TestApiServerOptions.onRequest} hears of it. */
export interface AnsweredRequest {
  info: RequestInfo;
  user: RequestUser;
  /** HTTP's; undefined if the connection was cut. */
  status: number | undefined;
}

/** Options of {@link createTestApiServer}; all have defaults. */
export interface TestApiServerOptions {
  /** Default the system's. With a virtual one, watches' timeouts, bookmarks and latencies take no time. */
  clock?: Clock;
  /** For uids, generated names and faults with a probability. Default the system's. */
  random?: Random;
  /** Default silent. */
  logger?: Logger;
  /** Changes that are remembered at least for watches and paged lists; what is older is `410 Gone`. Default 10,000. */
  historyLimit?: number;
  /** How often watches that ask for bookmarks get one, in milliseconds. Default 60000. */
  bookmarkPeriodMs?: number;
  /** Users by their bearer tokens. */
  tokens?: Readonly<Record<string, RequestUser>>;
  /** Who calls without any credentials. Default an administrator. */
  anonymous?: RequestUser;
  /** Who may do what: `rbac` goes by the server's roles and bindings. Default: everybody may do everything. */
  authorizer?: Authorizer | 'rbac';
  /** Whether nodes (`system:node:<name>` of the group `system:nodes`) may only write what is theirs. Default false. */
  nodeRestriction?: boolean;
  /** Called with every write, once it was answered. */
  audit?: (event: AuditEvent) => void;
  /** Called with every request, reads too, once it was answered or its connection was cut; with a watch when it begins. */
  onRequest?: (request: AnsweredRequest) => void;
  /** How the HTTP servers of nodes are reached for logs, exec and the like. */
  nodeProxy?: NodeProxyOptions;
  /** Nodes that are called instead of reached, by their names. Default: all are reached over the network. */
  nodeServers?: (nodeName: string) => InProcessNodeServer | undefined;
  /** What nodes and pods use, for `kubectl top`. Default: there is no metrics API. */
  metrics?: MetricsSource;
  /** Whether pods get a volume with a token of their service account, as in a cluster. Default false: few tests have kubelets that can fill it. */
  automountServiceAccountTokens?: boolean;
  /** Whether a small scheduler binds pods to nodes. Default false. */
  scheduler?: boolean;
  /** Whether Deployments, ReplicaSets, DaemonSets and Jobs make their pods. Default false. */
  workloads?: boolean;
  /** Whether objects go with their owners. Default true. */
  garbageCollection?: boolean;
}

type Optional = 'audit' | 'metrics';

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
    bookmarkPeriodMs: 60_000,
    tokens: {},
    anonymous: adminUser,
    authorizer: allowAll,
    onRequest: () => {},
    nodeProxy: {},
    nodeServers: () => undefined,
    automountServiceAccountTokens: false,
    nodeRestriction: false,
    scheduler: false,
    workloads: false,
    garbageCollection: true,
    ...options,
  };
}
