import {
  type ApiCallOptions,
  type Clock,
  invalidOption,
  type KubeObject,
  type Logger,
  type Metrics,
  noMetrics,
  type Random,
  requirePositive,
  silentLogger,
  systemClock,
  systemRandom,
} from '@nodeagent/api';
import { type ClientCertificate, createCredentialSource } from './auth/credentials.js';
import type { RunProgram } from './auth/run-program.js';
import { checkCluster } from './config/check-cluster.js';
import type { ClusterConfig, KubeconfigFiles } from './config/cluster-config.js';
import { createInformerFactory } from './informer/informer-factory.js';
import { parseObject } from './request/api-response.js';
import { createRateLimiter } from './request/rate-limiter.js';
import { createRequester, type RequesterCall } from './request/requester.js';
import { createKinds, type KubeKinds } from './resources/kinds.js';
import type { ResourceDefinition } from './resources/paths.js';
import { createResource, type KubeResource } from './resources/resource.js';
import type { Transport } from './transport/transport.js';

export interface KubeClientOptions {
  cluster: ClusterConfig;
  clock?: Clock;
  random?: Random;
  logger?: Logger;
  metrics?: Metrics;
  /** Default `nodeagent`. */
  userAgent?: string;
  /**
   * The client certificate to use now, instead of the identity of `cluster`; undefined: requests have no credentials. Called for each request,
   * for a certificate that is rotated. Default: none.
   */
  clientCertificate?: () => ClientCertificate | undefined;
  /** Rate limit in requests a second; starting a watch counts. 0 for no limit. Default 50, the kubelet's `kubeAPIQPS`. */
  qps?: number;
  /** Burst of the rate limit, in requests. Default 100, the kubelet's `kubeAPIBurst`. */
  burst?: number;
  timeouts?: {
    /** Timeout of the whole response of a call, or of the start of a watch, per attempt; milliseconds. Default 60000, as in the API server. */
    requestMs?: number;
    /**
     * Timeout of a watch that receives nothing, after which it is restarted; milliseconds. Default 150000: the API server sends a bookmark
     * each minute, two of which may be lost.
     */
    watchIdleMs?: number;
    /** Minimum duration of a watch, in milliseconds; the actual one is random up to twice that. Default 300000, as client-go. */
    watchMs?: number;
  };
  /** Whether the caches of informers keep `metadata.managedFields`, which take half of the memory of a small object. Default true. */
  keepManagedFields?: boolean;
  /** Maximum size of a decompressed response in bytes; larger ones are rejected with `ResponseTooLarge`. Default 256 MiB. */
  maxResponseBytes?: number;
  /** Sends the requests to `cluster.server`. */
  transport: Transport;
  /** Reads certificates and tokens; required if `cluster` has files of them. */
  files?: KubeconfigFiles;
  /** Runs the credential plugin; required if `cluster` has one. */
  runProgram?: RunProgram;
}

/** Options of {@link KubeClient.raw}. */
export interface RawOptions extends ApiCallOptions {
  query?: RequesterCall['query'];
  body?: string;
  /** Default `application/json`. */
  contentType?: string;
}

/** The response of `/version`, without build details. */
export interface ServerVersion {
  major: string;
  minor: string;
  /** Such as `v1.36.0`. */
  gitVersion: string;
}

/** Client of one API server. Calls may be concurrent. It needs no close: idle connections do not keep the process running. */
export interface KubeClient extends KubeKinds {
  /** The calls of any resource, including custom resources. */
  resource<T extends KubeObject>(definition: ResourceDefinition): KubeResource<T>;
  /** Sends any request; `path` is absolute and without a query. Resolves to the text of the response. */
  raw(method: string, path: string, options?: RawOptions): Promise<string>;
  version(options?: ApiCallOptions): Promise<ServerVersion>;
  /**
   * Closes all connections, such as after repeated failures of heartbeats, when the connections may be dead. Calls in flight
   * reject with `ApiUnreachable` (reads are retried), watches resume on new connections.
   */
  closeConnections(): void;
  /**
   * Ends the connections with other credentials than the current ones, as after a rotation: watches at once, which resume on new connections,
   * others after their requests, so that no request is lost. Rejects with `CredentialFile` or `ExecPlugin`.
   */
  closeOldConnections(): Promise<void>;
}

/**
 * Creates a client, which sends nothing before the first call. Throws `InvalidOption`. `connectKubeClient` of `@nodeagent/kube-client/node`
 * creates one that uses the network and the files of this machine.
 */
export function createKubeClient(options: KubeClientOptions): KubeClient {
  const { cluster, clock = systemClock, random = systemRandom, logger = silentLogger, metrics = noMetrics } = options;
  const { transport, userAgent = 'nodeagent', keepManagedFields = true } = options;
  const { server, qps, burst, maxResponseBytes, requestMs, watchIdleMs, watchMs } = checkedSettings(options);
  const requester = createRequester({
    server,
    transport,
    credentials: createCredentialSource({
      cluster,
      clientCertificate: options.clientCertificate,
      files: options.files,
      run: options.runProgram,
      clock,
      logger,
    }),
    limiter: createRateLimiter(qps, burst, clock),
    clock,
    random,
    logger,
    metrics,
    userAgent,
    requestTimeoutMs: requestMs,
    maxResponseBytes,
    compression: cluster.disableCompression !== true,
  });
  const informers = createInformerFactory(requester, {
    server: new URL(server).host,
    clock,
    random,
    logger,
    requestTimeoutMs: requestMs,
    watchIdleMs,
    watchMs,
    keepManagedFields,
  });
  const resource = <T extends KubeObject>(definition: ResourceDefinition) => createResource<T>(definition, { requester, informers });

  return {
    ...createKinds(resource, requester),
    resource,
    raw(method, path, { query, body, contentType, signal } = {}) {
      if (!path.startsWith('/') || path.includes('?')) throw invalidOption('path', 'absolute and without a query', path);
      return requester.text({
        method,
        path,
        query,
        body,
        ...(contentType && { contentType }),
        signal,
      });
    },
    async version({ signal } = {}) {
      const target = { method: 'GET', path: '/version' };
      const answer: object = parseObject(target, await requester.text({ ...target, signal }));
      return answer as ServerVersion;
    },
    closeConnections: () => transport.closeConnections(),
    closeOldConnections: () => requester.closeOldConnections(),
  };
}

/** The server and the limits with their defaults. */
function checkedSettings({ cluster, qps = 50, burst = 100, maxResponseBytes = 256 * 1024 * 1024, timeouts = {} }: KubeClientOptions) {
  const { requestMs = 60_000, watchIdleMs = 150_000, watchMs = 300_000 } = timeouts;
  if (!(qps >= 0 && Number.isFinite(qps))) throw invalidOption('qps', 'a number not below 0', qps);
  requirePositive('burst', burst, { integer: true });
  requirePositive('timeouts.requestMs', requestMs);
  requirePositive('timeouts.watchIdleMs', watchIdleMs);
  requirePositive('timeouts.watchMs', watchMs);
  requirePositive('maxResponseBytes', maxResponseBytes);
  checkCluster(cluster);
  return { server: cluster.server, qps, burst, maxResponseBytes, requestMs, watchIdleMs, watchMs };
}
