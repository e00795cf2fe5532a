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
import { createCredentialSource } from './auth/credentials.js';
import { type RunProgram, runProgram } from './auth/run-program.js';
import type { ClusterConfig, KubeconfigFiles } from './config/cluster-config.js';
import { nodeFiles } from './config/node-files.js';
import { createInformer } from './informer/informer.js';
import { createSharedInformers } from './informer/shared-informers.js';
import { parseObject } from './request/api-answer.js';
import { createRateLimiter } from './request/rate-limiter.js';
import { createRequester, type RequesterCall } from './request/requester.js';
import { createKinds, type KubeKinds } from './resources/kinds.js';
import { listAll, type Selection } from './resources/list.js';
import { type ResourceDefinition, resourcePath } from './resources/paths.js';
import { createResource, type InformerFactory, type KubeResource } from './resources/resource.js';
import { createNodeTransport } from './transport/node-transport.js';
import type { Transport } from './transport/transport.js';

export interface KubeClientOptions {
  cluster: ClusterConfig;
  clock?: Clock;
  random?: Random;
  logger?: Logger;
  metrics?: Metrics;
  /** Default `nodeagent`. */
  userAgent?: string;
  /** Requests a second in the long run, the beginning of watches among them. 0 for no limit. Default 50, as the kubelet's `kubeAPIQPS`. */
  qps?: number;
  /** Requests at once. Default 100, as the kubelet's `kubeAPIBurst`. */
  burst?: number;
  timeouts?: {
    /** For the whole answer of a call, and for a watch to begin, each time it is tried; milliseconds. Default 60000, the API server's own. */
    requestMs?: number;
    /**
     * How long a watch may be silent before its connection counts as dead; milliseconds. Default 150000: the API server sends a bookmark
     * each minute, two of which may be lost.
     */
    watchIdleMs?: number;
    /** For how long a watch asks at least, and at most twice that; then it is begun anew. Default 300000, as client-go. */
    watchMs?: number;
  };
  /** Whether the copies of informers keep `metadata.managedFields`, which take half of the memory of a small object. Default true. */
  keepManagedFields?: boolean;
  /** An answer that is larger is refused with `AnswerTooLarge`; bytes. Default 256 MiB. */
  largestAnswerBytes?: number;
  /** Default: HTTP/1.1 by node:https to `cluster.server`. */
  transport?: Transport;
  /** Where certificates and tokens are read. Default: the machine's files. */
  files?: KubeconfigFiles;
  /** Runs the credential plugin. Default: node:child_process. */
  runProgram?: RunProgram;
}

/** Options of {@link KubeClient.raw}. */
export interface RawOptions extends ApiCallOptions {
  query?: RequesterCall['query'];
  body?: string;
  /** Default `application/json`. */
  contentType?: string;
}

/** The answer of `/version`, as far as it is of use. */
export interface ServerVersion {
  major: string;
  minor: string;
  /** Such as `v1.36.0`. */
  gitVersion: string;
}

/** The API server of one cluster. Everything may be called at once; nothing needs to be closed, idle connections keep no process alive. */
export interface KubeClient extends KubeKinds {
  /** The calls of any kind, custom resources too. */
  resource<T extends KubeObject>(definition: ResourceDefinition): KubeResource<T>;
  /** Any call; `path` is absolute and without a query. Resolves with the text of the answer. */
  raw(method: string, path: string, options?: RawOptions): Promise<string>;
  version(options?: ApiCallOptions): Promise<ServerVersion>;
  /**
   * Cuts every connection: for who suspects that they lead nowhere, such as after heartbeats that failed again and again. Calls that
   * run reject with `ApiUnreachable` (those that only read are tried again), watches go on with new connections.
   */
  closeConnections(): void;
}

/** A client; it connects with the first call. Throws `InvalidOption`. */
export function createKubeClient(options: KubeClientOptions): KubeClient {
  const { cluster, clock = systemClock, random = systemRandom, logger = silentLogger, metrics = noMetrics } = options;
  const { userAgent = 'nodeagent', qps = 50, burst = 100, largestAnswerBytes = 256 * 1024 * 1024, keepManagedFields = true } = options;
  const { requestMs = 60_000, watchIdleMs = 150_000, watchMs = 300_000 } = options.timeouts ?? {};
  if (!(qps >= 0 && Number.isFinite(qps))) throw invalidOption('qps', 'a number not below 0', qps);
  requirePositive('burst', burst, { integer: true });
  requirePositive('timeouts.requestMs', requestMs);
  requirePositive('timeouts.watchIdleMs', watchIdleMs);
  requirePositive('timeouts.watchMs', watchMs);
  requirePositive('largestAnswerBytes', largestAnswerBytes);
  const server = httpUrl('cluster.server', cluster.server);
  if (cluster.proxyUrl !== undefined) httpUrl('cluster.proxyUrl', cluster.proxyUrl);

  const transport = options.transport ?? createNodeTransport(cluster);
  const requester = createRequester({
    server,
    transport,
    credentials: createCredentialSource({
      cluster,
      files: options.files ?? nodeFiles,
      run: options.runProgram ?? runProgram,
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
    largestAnswerBytes,
    compression: cluster.disableCompression !== true,
  });

  const informer = <T extends KubeObject>(definition: ResourceDefinition, selection: Selection) => {
    const path = resourcePath(definition, { namespace: selection.namespace });
    const { fieldSelector, labelSelector } = selection;
    return createInformer<T>({
      source: {
        server: new URL(server).host,
        resource: definition.resource,
        list: (resourceVersion, signal) => listAll<T>(requester, definition, { ...selection, resourceVersion, signal }),
        watch: ({ resourceVersion, timeoutSeconds }, signal) =>
          requester.stream({
            method: 'GET',
            path,
            query: { fieldSelector, labelSelector, watch: true, allowWatchBookmarks: true, resourceVersion, timeoutSeconds },
            signal,
          }),
      },
      clock,
      random,
      logger,
      requestTimeoutMs: requestMs,
      watchIdleMs,
      watchMs,
      keepManagedFields,
    });
  };
  const shared = createSharedInformers(logger);
  const informers: InformerFactory = {
    informer,
    sharedInformer: (definition, selection) =>
      shared.get(`${resourcePath(definition, selection)} ${JSON.stringify([selection.fieldSelector, selection.labelSelector])}`, () =>
        informer(definition, selection),
      ),
  };
  const resource = <T extends KubeObject>(definition: ResourceDefinition) => createResource<T>(definition, { requester, informers });

  return {
    ...createKinds(resource, requester),
    resource,
    raw(method, path, { query, body, contentType, signal } = {}) {
      if (!path.startsWith('/') || path.includes('?')) throw invalidOption('path', 'absolute and without a query', path);
      return requester.text({
        method,
        path,
        ...(query && { query }),
        ...(body !== undefined && { body }),
        ...(contentType && { contentType }),
        ...(signal && { signal }),
      });
    },
    async version({ signal } = {}) {
      const asked = { method: 'GET', path: '/version' };
      const answer: object = parseObject(asked, await requester.text({ ...asked, ...(signal && { signal }) }));
      return answer as ServerVersion;
    },
    closeConnections: () => transport.closeConnections(),
  };
}

function httpUrl(field: string, url: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw invalidOption(field, 'an http or https URL', url);
  return url;
}
