import { setMaxListeners } from 'node:events';
import {
  type Clock,
  invalidOption,
  invalidOptionText,
  type Logger,
  type Metrics,
  noMetrics,
  onAbort,
  type Random,
  type Startable,
  silentLogger,
  systemClock,
  systemRandom,
} from '@nodeagent/api';
import { completeSettings } from '@nodeagent/api/helpers';
import { createAccess } from './access/access.js';
import { createAuthenticator } from './access/authenticator.js';
import { createAuthorizer } from './access/authorizer.js';
import { createHandlers, type Handlers } from './create-handlers.js';
import { healthzEndpoint, healthzHandler } from './endpoints/healthz.js';
import { createConnectionLimit } from './http/connection-limit.js';
import { type ListenAddress, type Listener, listen } from './http/listener.js';
import { countRequests } from './http/request-metrics.js';
import type { HttpsOptions, NodeServerOptions } from './options.js';
import type { RouteSwitches } from './route-switches.js';
import { type ServeOptions, type ServeRequest, serveRequests } from './serve-request.js';
import { nodeServerSettings } from './settings.js';

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

/**
 * Creates a server, which listens after `start()`. Throws `InvalidOption` naming the field.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/kubelet-authn-authz/
 */
export function createNodeServer(options: NodeServerOptions): NodeServer {
  checkOptions(options);
  return new Server(options);
}

class Server implements NodeServer {
  readonly #options: NodeServerOptions;
  readonly #ports: { clock: Clock; random: Random; logger: Logger; ended: AbortSignal };
  readonly #metrics: Metrics;
  readonly #maxConnections: number;
  readonly #switches: RouteSwitches;
  readonly #handlers: Handlers;
  readonly #ended = new AbortController();
  readonly #listeners: Partial<Record<keyof ServedPorts, Listener>> = {};
  #started: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;
  #healthzOpened: Promise<void> | undefined;

  constructor(options: NodeServerOptions) {
    const { clock = systemClock, random = systemRandom, logger = silentLogger } = options;
    const { maxConnections, ...switches } = completeSettings(nodeServerSettings, options.settings);
    const ended = this.#ended.signal;
    // Each connection's request adds a listener.
    setMaxListeners(0, ended);
    this.#options = options;
    this.#ports = { clock, random, logger, ended };
    this.#metrics = options.metrics ?? options.registry ?? noMetrics;
    this.#maxConnections = maxConnections;
    this.#switches = switches;
    this.#handlers = createHandlers(options, { clock, logger, ended });
  }

  get ports(): ServedPorts {
    const { https, readOnly, healthz } = this.#listeners;
    return { https: https?.port, readOnly: readOnly?.port, healthz: healthz?.port };
  }

  async start(signal?: AbortSignal): Promise<void> {
    if (this.#stopped || signal?.aborted) return;
    onAbort(signal, () => void this.stop(), this.#ended.signal);
    this.#started ??= this.#begin().catch((error) => {
      this.#started = undefined;
      throw error;
    });
    await this.#started;
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#close();
    return this.#stopped;
  }

  async #begin(): Promise<void> {
    const { https, readOnly, healthz } = this.#options;
    const opened = await Promise.allSettled([https && this.#openHttps(https), readOnly && this.#openReadOnly(readOnly)]);
    const failed = opened.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined;
    if (failed) {
      await this.#closeListeners();
      throw failed.reason;
    }
    if (healthz) this.#healthzOpened = this.#openHealthz(healthz).catch(() => {});
  }

  async #close(): Promise<void> {
    this.#ended.abort(new Error('the server was stopped'));
    await this.#started?.catch(() => {});
    await this.#healthzOpened;
    await this.#closeListeners();
  }

  #closeListeners(): Promise<unknown> {
    return Promise.all(Object.values(this.#listeners).map((listener) => listener.close()));
  }

  async #openHttps({ tls, authentication, authorization, port = 10_250, address }: HttpsOptions): Promise<void> {
    const { nodeName, ui } = this.#options;
    const { clock, logger } = this.#ports;
    const asksForCertificates = tls().clientCA !== undefined;
    if (!asksForCertificates && !authentication.anonymous && authentication.tokenReviews === undefined) {
      throw invalidOptionText('https.authentication', 'no authentication method configured');
    }
    const connections = createConnectionLimit(this.#maxConnections);
    const access = createAccess({
      nodeName,
      authenticate: createAuthenticator(authentication, this.#ports),
      authorize: createAuthorizer(authorization, this.#ports),
      clock,
      asksForCertificates,
      onAuthenticated: connections.keep,
    });
    const count = countRequests(this.#metrics, clock, 'readwrite');
    const serve = this.#serve({ switches: { ...this.#switches, ui: ui !== undefined }, access, count });
    this.#listeners.https = await listen({ port, ...(address && { address }), tls, connections, clock, logger, serve });
  }

  async #openReadOnly(where: ListenAddress): Promise<void> {
    const { clock } = this.#ports;
    const switches = { ...this.#switches, enableDebuggingHandlers: false, ui: false };
    const serve = this.#serve({ switches, count: countRequests(this.#metrics, clock, 'readonly') });
    this.#listeners.readOnly = await listen({ ...where, connections: createConnectionLimit(this.#maxConnections), clock, serve });
  }

  async #openHealthz(where: ListenAddress): Promise<void> {
    const { clock, logger, ended } = this.#ports;
    const handlers: Handlers = new Map([[healthzEndpoint.name, healthzHandler({ clock })]]);
    const serve = this.#serve({ handlers, switches: {}, count: () => () => {} });
    for (;;) {
      try {
        const connections = createConnectionLimit(this.#maxConnections);
        this.#listeners.healthz = await listen({ address: '127.0.0.1', ...where, connections, clock, serve });
        return;
      } catch (error) {
        logger.warn({ err: error }, 'healthz server not listening yet');
      }
      await clock.sleep(healthzRetryMs, ended);
    }
  }

  #serve(options: Pick<ServeOptions, 'switches' | 'access' | 'count'> & { handlers?: Handlers }): ServeRequest {
    const { logger, ended } = this.#ports;
    return serveRequests({ handlers: this.#handlers, ended, logger, ...options });
  }
}

function checkOptions({ nodeName, pods, https, readOnly, healthz }: NodeServerOptions): void {
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
}
