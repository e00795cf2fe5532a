import { type Clock, type Logger, onAbort, requirePositive, type Startable, silentLogger, systemClock, type Timer } from '@nodeagent/api';
import { createBackoff } from '@nodeagent/api/helpers';
import { planPlugins } from './plan.js';
import type { PluginFolder } from './plugin-folder.js';
import type { PluginHandler, RegistrationClient } from './plugin-handler.js';
import { type RegisteredPlugin, registerPlugin } from './register.js';
import { grpcRegistrationClient } from './registration-client.js';

/** Options of {@link createPluginManager}. */
export interface PluginManagerOptions {
  /** The folder with the sockets of plugins: `pluginFolder('/var/lib/kubelet/plugins_registry')`. */
  folder: PluginFolder;
  /** Handlers by plugin type: `CSIPlugin`, `DevicePlugin`, `DRAPlugin`. */
  handlers: Readonly<Record<string, PluginHandler>>;
  /** Default: gRPC on the sockets. */
  client?: RegistrationClient;
  /** Maximum time between two scans of the folder in milliseconds, in case the watch misses a change. Default 60000. */
  rescanPeriodMs?: number;
  clock?: Clock;
  logger?: Logger;
}

export interface PluginManager extends Startable {
  /** The plugins that are registered or being registered. */
  plugins(): RegisteredPlugin[];
}

const firstRetryMs = 500;
const maxRetryMs = 122_000;

/**
 * Registers the plugins whose sockets are in a folder and unregisters those whose sockets were removed, as the kubelet's plugin manager:
 * one operation per socket at a time, with retries after 500 ms, 1 s, ... up to 122 s. Scans when the folder changes instead of every
 * second. Plugins stay registered when it stops. Throws `InvalidOption`.
 */
export function createPluginManager(options: PluginManagerOptions): PluginManager {
  requirePositive('rescanPeriodMs', options.rescanPeriodMs);
  return new Manager(options);
}

class Manager implements PluginManager {
  readonly #folder: PluginFolder;
  readonly #client: RegistrationClient;
  readonly #handlers: ReadonlyMap<string, PluginHandler>;
  readonly #rescanPeriodMs: number;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #backoff = createBackoff({ initialMs: firstRetryMs, maxMs: maxRetryMs, expiryMs: Number.POSITIVE_INFINITY });
  /** Ids of the sockets by path, after the last scan. */
  #desired: ReadonlyMap<string, string> = new Map();
  readonly #registered = new Map<string, { id: string; plugin: RegisteredPlugin }>();
  readonly #running = new Map<string, Promise<void>>();
  #controller: AbortController | undefined;
  #unwatch = () => {};
  #scanning: Promise<void> | undefined;
  #scanAgain = false;
  #rescanTimer: Timer | undefined;
  #retryTimer: Timer | undefined;

  constructor(options: PluginManagerOptions) {
    this.#folder = options.folder;
    this.#client = options.client ?? grpcRegistrationClient;
    this.#handlers = new Map(Object.entries(options.handlers));
    this.#rescanPeriodMs = options.rescanPeriodMs ?? 60_000;
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? silentLogger;
  }

  async start(outer?: AbortSignal): Promise<void> {
    if (this.#controller !== undefined) return;
    this.#controller = new AbortController();
    const { signal } = this.#controller;
    onAbort(outer, () => void this.stop(), signal);
    this.#unwatch = this.#folder.onChange(() => this.#requestScan(signal));
    this.#requestScan(signal);
    await this.#scanning;
  }

  async stop(): Promise<void> {
    this.#unwatch();
    this.#rescanTimer?.cancel();
    this.#retryTimer?.cancel();
    this.#controller?.abort();
    this.#controller = undefined;
    await Promise.all([this.#scanning, ...this.#running.values()]);
  }

  plugins(): RegisteredPlugin[] {
    return [...this.#registered.values()].map(({ plugin }) => plugin);
  }

  #requestScan(signal: AbortSignal): void {
    if (signal.aborted) return;
    if (this.#scanning !== undefined) {
      this.#scanAgain = true;
      return;
    }
    this.#scanning = this.#scan(signal).finally(() => {
      this.#scanning = undefined;
      if (this.#scanAgain) {
        this.#scanAgain = false;
        this.#requestScan(signal);
      }
    });
  }

  async #scan(signal: AbortSignal): Promise<void> {
    this.#rescanTimer?.cancel();
    try {
      this.#desired = new Map((await this.#folder.scan()).map(({ path, id }) => [path, id]));
    } catch (error) {
      this.#logger.error({ err: error }, 'cannot read the plugin folder');
    }
    if (signal.aborted) return;
    this.#rescanTimer = this.#clock.setTimeout(() => this.#requestScan(signal), this.#rescanPeriodMs);
    this.#reconcile(signal);
  }

  #reconcile(signal: AbortSignal): void {
    this.#retryTimer?.cancel();
    if (signal.aborted) return;
    const plan = planPlugins(this.#desired, new Map([...this.#registered].map(([path, { id }]) => [path, id])));
    let nextRetry = Number.POSITIVE_INFINITY;
    const begin = (path: string, operation: () => Promise<void>): void => {
      const now = this.#clock.monotonic();
      const waitsUntil = this.#backoff.endsAt(path, now);
      if (waitsUntil !== undefined) nextRetry = Math.min(nextRetry, waitsUntil - now);
      else if (!this.#running.has(path)) this.#running.set(path, this.#run(path, operation, signal));
    };
    for (const path of plan.unregister) begin(path, () => this.#unregister(path, signal));
    for (const path of plan.register) begin(path, () => this.#register(path, signal));
    if (nextRetry !== Number.POSITIVE_INFINITY) this.#retryTimer = this.#clock.setTimeout(() => this.#reconcile(signal), nextRetry);
  }

  async #run(path: string, operation: () => Promise<void>, signal: AbortSignal): Promise<void> {
    try {
      await operation();
      this.#backoff.reset(path);
    } catch (error) {
      if (!signal.aborted) {
        const now = this.#clock.monotonic();
        this.#backoff.next(path, now, now);
        this.#logger.error({ socket: path, err: error }, 'plugin operation failed');
      }
    }
    this.#running.delete(path);
    this.#reconcile(signal);
  }

  async #register(path: string, signal: AbortSignal): Promise<void> {
    const id = this.#desired.get(path) ?? '';
    await registerPlugin(path, {
      client: this.#client,
      handlers: this.#handlers,
      added: (plugin) => this.#registered.set(path, { id, plugin }),
      removed: () => this.#registered.delete(path),
      signal,
    });
    this.#logger.info({ socket: path, plugin: this.#registered.get(path)?.plugin.name }, 'plugin registered');
  }

  async #unregister(path: string, signal: AbortSignal): Promise<void> {
    const plugin = this.#registered.get(path)?.plugin;
    this.#registered.delete(path);
    if (plugin === undefined) return;
    await this.#handlers.get(plugin.type)?.deregister(plugin.name, plugin.endpoint, signal);
    this.#logger.info({ socket: path, plugin: plugin.name }, 'plugin unregistered');
  }
}
