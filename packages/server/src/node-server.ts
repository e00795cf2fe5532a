import { setMaxListeners } from 'node:events';
import {
  checkOptionNames,
  invalidOption,
  invalidOptionText,
  noMetrics,
  type OptionNames,
  onAbort,
  requirePositive,
  type Startable,
  silentLogger,
  systemClock,
  systemRandom,
} from '@nodeagent/api';
import { createAccess } from './access/access.js';
import { createAuthenticator } from './access/authenticator.js';
import { createAuthorizer } from './access/authorizer.js';
import { createHandlers, type Handlers } from './create-handlers.js';
import { healthzEndpoint, healthzHandler } from './endpoints/healthz.js';
import { createConnectionLimit } from './http/connection-limit.js';
import { type ListenAddress, type Listener, listen } from './http/listener.js';
import { countRequests } from './http/request-metrics.js';
import type { HttpsOptions, NodeServerOptions } from './options.js';
import { serveRequests } from './serve-request.js';

/** The ports on which the server listens; undefined for servers that are not configured, and before the start. */
export interface ServedPorts {
  https: number | undefined;
  readOnly: number | undefined;
  healthz: number | undefined;
}

/** The kubelet's HTTP API server. */
export interface NodeServer extends Startable {
  /** Starts to listen. Rejects with `ListenFailed` or `CertificateUnusable`; only the healthz port is retried, every 5 s, without limit. */
  start(signal?: AbortSignal): Promise<void>;
  readonly ports: ServedPorts;
}

const healthzRetryMs = 5_000;

const optionNames: OptionNames<NodeServerOptions> = {
  nodeName: true,
  pods: true,
  https: {
    tls: true,
    authentication: { anonymous: true, tokenReviews: true, cacheTTLMs: true },
    authorization: { mode: true, subjectAccessReviews: true, cacheAuthorizedTTLMs: true, cacheUnauthorizedTTLMs: true },
    address: true,
    port: true,
  },
  readOnly: { address: true, port: true },
  healthz: { address: true, port: true },
  healthChecks: true,
  logs: true,
  streaming: true,
  relay: true,
  runningPods: true,
  runInContainer: true,
  checkpoint: true,
  stats: true,
  registry: true,
  ui: true,
  configz: true,
  flagz: true,
  statusz: { binaryVersion: true, emulationVersion: true },
  systemLogsDir: true,
  setVerbosity: true,
  settings: {
    maxConnections: true,
    enableHeapSnapshots: true,
    enableDebuggingHandlers: true,
    enableSystemLogHandler: true,
    enableProfilingHandler: true,
    enableDebugFlagsHandler: true,
  },
  clock: true,
  random: true,
  logger: true,
  metrics: true,
};

/**
 * Creates a server, which listens after `start()`. Throws `InvalidOption` naming the field.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/kubelet-authn-authz/
 */
export function createNodeServer(options: NodeServerOptions): NodeServer {
  checkOptionNames('createNodeServer', options, optionNames);
  checkOptions(options);
  const { https, readOnly, healthz, settings = {}, ui } = options;
  const { clock = systemClock, random = systemRandom, logger = silentLogger, registry } = options;
  const { maxConnections = 1_000, ...switches } = settings;
  const metrics = options.metrics ?? registry ?? noMetrics;
  const ended = new AbortController();
  // Each connection's request adds a listener.
  setMaxListeners(0, ended.signal);
  const listeners: Partial<Record<keyof ServedPorts, Listener>> = {};
  let started: Promise<void> | undefined;
  let stopped: Promise<void> | undefined;
  let healthzOpened: Promise<void> | undefined;

  const handlers = createHandlers(options, { clock, logger, ended: ended.signal });
  const common = { handlers, ended: ended.signal, logger };
  const readOnlySwitches = { ...switches, enableDebuggingHandlers: false, ui: false };

  const openHttps = async ({ tls, authentication, authorization, port = 10_250, address }: HttpsOptions) => {
    const asksForCertificates = tls().clientCA !== undefined;
    if (!asksForCertificates && !authentication.anonymous && authentication.tokenReviews === undefined) {
      throw invalidOptionText('https.authentication', 'no authentication method configured');
    }
    const ports = { clock, random, logger, ended: ended.signal };
    const connections = createConnectionLimit(maxConnections);
    const access = createAccess({
      nodeName: options.nodeName,
      authenticate: createAuthenticator(authentication, ports),
      authorize: createAuthorizer(authorization, ports),
      clock,
      asksForCertificates,
      onAuthenticated: connections.keep,
    });
    const count = countRequests(metrics, clock, 'readwrite');
    const serve = serveRequests({ ...common, switches: { ...switches, ui: ui !== undefined }, access, count });
    listeners.https = await listen({ port, ...(address && { address }), tls, connections, clock, logger, serve });
  };

  const openReadOnly = async (where: ListenAddress) => {
    const serve = serveRequests({ ...common, switches: readOnlySwitches, count: countRequests(metrics, clock, 'readonly') });
    listeners.readOnly = await listen({ ...where, connections: createConnectionLimit(maxConnections), clock, serve });
  };

  const openHealthz = async (where: ListenAddress) => {
    const handlers: Handlers = new Map([[healthzEndpoint.name, healthzHandler({ clock })]]);
    const serve = serveRequests({ ...common, handlers, switches: {}, count: () => () => {} });
    for (;;) {
      try {
        const connections = createConnectionLimit(maxConnections);
        listeners.healthz = await listen({ address: '127.0.0.1', ...where, connections, clock, serve });
        return;
      } catch (error) {
        logger.warn({ err: error }, 'healthz server not listening yet');
      }
      await clock.sleep(healthzRetryMs, ended.signal);
    }
  };

  const closeListeners = () => Promise.all(Object.values(listeners).map((listener) => listener.close()));

  const close = async () => {
    ended.abort(new Error('the server was stopped'));
    await started?.catch(() => {});
    await healthzOpened;
    await closeListeners();
  };

  const begin = async () => {
    const opened = await Promise.allSettled([https && openHttps(https), readOnly && openReadOnly(readOnly)]);
    const failed = opened.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined;
    if (failed) {
      await closeListeners();
      throw failed.reason;
    }
    if (healthz) healthzOpened = openHealthz(healthz).catch(() => {});
  };

  const stop = () => {
    stopped ??= close();
    return stopped;
  };

  return {
    async start(signal) {
      if (stopped || signal?.aborted) return;
      onAbort(signal, () => void stop(), ended.signal);
      started ??= begin().catch((error) => {
        started = undefined;
        throw error;
      });
      await started;
    },
    stop,
    get ports() {
      return { https: listeners.https?.port, readOnly: listeners.readOnly?.port, healthz: listeners.healthz?.port };
    },
  };
}

function checkOptions({ nodeName, pods, https, readOnly, healthz, settings }: NodeServerOptions): void {
  if (typeof nodeName !== 'string' || nodeName === '') throw invalidOption('nodeName', 'a name', nodeName);
  if (typeof pods?.pods !== 'function') throw invalidOption('pods', 'an object that has pods()', pods);
  const ports = { 'https.port': https?.port, 'readOnly.port': readOnly?.port, 'healthz.port': healthz?.port };
  for (const [field, port] of Object.entries(ports)) {
    if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535)) throw invalidOption(field, 'a port', port);
  }
  if (https !== undefined && typeof https.tls !== 'function') throw invalidOption('https.tls', 'a function', https.tls);
  const modes = ['AlwaysAllow', 'Webhook'];
  if (https !== undefined && !modes.includes(https.authorization?.mode)) {
    throw invalidOption('https.authorization.mode', modes.join(' or '), https.authorization?.mode);
  }
  const { maxConnections } = settings ?? {};
  if (maxConnections !== undefined) requirePositive('settings.maxConnections', maxConnections, { integer: true });
}
