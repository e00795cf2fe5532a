import {
  type Clock,
  checkOptionNames,
  createBackoff,
  type Logger,
  type OptionNames,
  onAbort,
  requirePositive,
  type Startable,
  silentLogger,
  systemClock,
  type Timer,
} from '@nodeagent/api';
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

const optionNames: OptionNames<PluginManagerOptions> = {
  folder: true,
  handlers: true,
  client: true,
  rescanPeriodMs: true,
  clock: true,
  logger: true,
};

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
  checkOptionNames('createPluginManager', options, optionNames);
  const { folder, client = grpcRegistrationClient, rescanPeriodMs = 60_000, clock = systemClock, logger = silentLogger } = options;
  requirePositive('rescanPeriodMs', rescanPeriodMs);
  const handlers = new Map(Object.entries(options.handlers));
  const backoff = createBackoff({ initialMs: firstRetryMs, maxMs: maxRetryMs, expiryMs: Number.POSITIVE_INFINITY });

  let desired: ReadonlyMap<string, string> = new Map();
  const registered = new Map<string, { id: string; plugin: RegisteredPlugin }>();
  const running = new Map<string, Promise<void>>();

  let controller: AbortController | undefined;
  let scanning: Promise<void> | undefined;
  let scanAgain = false;
  let rescanTimer: Timer | undefined;
  let retryTimer: Timer | undefined;
  let unwatch = () => {};

  function requestScan(signal: AbortSignal): void {
    if (signal.aborted) return;
    if (scanning !== undefined) {
      scanAgain = true;
      return;
    }
    scanning = scan(signal).finally(() => {
      scanning = undefined;
      if (scanAgain) {
        scanAgain = false;
        requestScan(signal);
      }
    });
  }

  async function scan(signal: AbortSignal): Promise<void> {
    rescanTimer?.cancel();
    try {
      desired = new Map((await folder.scan()).map(({ path, id }) => [path, id]));
    } catch (error) {
      logger.error({ err: error }, 'cannot read the plugin folder');
    }
    if (signal.aborted) return;
    rescanTimer = clock.setTimeout(() => requestScan(signal), rescanPeriodMs);
    reconcile(signal);
  }

  function reconcile(signal: AbortSignal): void {
    retryTimer?.cancel();
    if (signal.aborted) return;
    const plan = planPlugins(desired, new Map([...registered].map(([path, { id }]) => [path, id])));
    let nextRetry = Number.POSITIVE_INFINITY;
    const begin = (path: string, operation: () => Promise<void>): void => {
      const now = clock.monotonic();
      const waitsUntil = backoff.endsAt(path, now);
      if (waitsUntil !== undefined) nextRetry = Math.min(nextRetry, waitsUntil - now);
      else if (!running.has(path)) running.set(path, run(path, operation, signal));
    };
    for (const path of plan.unregister) begin(path, () => unregister(path, signal));
    for (const path of plan.register) begin(path, () => register(path, signal));
    if (nextRetry !== Number.POSITIVE_INFINITY) retryTimer = clock.setTimeout(() => reconcile(signal), nextRetry);
  }

  async function run(path: string, operation: () => Promise<void>, signal: AbortSignal): Promise<void> {
    try {
      await operation();
      backoff.reset(path);
    } catch (error) {
      if (!signal.aborted) {
        const now = clock.monotonic();
        backoff.next(path, now, now);
        logger.error({ socket: path, err: error }, 'plugin operation failed');
      }
    }
    running.delete(path);
    reconcile(signal);
  }

  async function register(path: string, signal: AbortSignal): Promise<void> {
    const id = desired.get(path) ?? '';
    await registerPlugin(path, {
      client,
      handlers,
      added: (plugin) => registered.set(path, { id, plugin }),
      removed: () => registered.delete(path),
      signal,
    });
    logger.info({ socket: path, plugin: registered.get(path)?.plugin.name }, 'plugin registered');
  }

  async function unregister(path: string, signal: AbortSignal): Promise<void> {
    const plugin = registered.get(path)?.plugin;
    registered.delete(path);
    if (plugin === undefined) return;
    await handlers.get(plugin.type)?.deregister(plugin.name, plugin.endpoint, signal);
    logger.info({ socket: path, plugin: plugin.name }, 'plugin unregistered');
  }

  return {
    async start(outer) {
      if (controller !== undefined) return;
      controller = new AbortController();
      const { signal } = controller;
      onAbort(outer, () => void this.stop(), signal);
      unwatch = folder.onChange(() => requestScan(signal));
      requestScan(signal);
      await scanning;
    },
    async stop() {
      unwatch();
      rescanTimer?.cancel();
      retryTimer?.cancel();
      controller?.abort();
      controller = undefined;
      await Promise.all([scanning, ...running.values()]);
    },
    plugins: () => [...registered.values()].map(({ plugin }) => plugin),
  };
}
