import type { Clock, Logger } from '@nodeagent/api';
import type { PluginDevice } from './devices.js';
import type { DevicePluginConnection, DevicePluginOptions } from './plugin-connection.js';

/** The plugin that registered a resource last. */
export interface Endpoint {
  /** undefined after a restart of the agent, until the plugin registers again. */
  connection?: DevicePluginConnection;
  options?: DevicePluginOptions;
  socketPath?: string;
  /** When its stream ended, on the monotonic clock; undefined while it is connected. */
  stoppedAt?: number;
  /** Ends the stream. */
  disconnect?(): void;
}

/** Receives what happens to plugins. */
interface PluginEvents {
  /** A plugin has registered the resource; its list follows. */
  connected(resource: string): void;
  listed(resource: string, devices: readonly PluginDevice[]): void;
  /** The stream of the plugin has ended. */
  disconnected(resource: string): void;
}

export interface PluginsOptions {
  connect(socketPath: string): DevicePluginConnection;
  events: PluginEvents;
  clock: Clock;
  logger: Logger;
}

/** The plugins by resource. */
export interface Plugins {
  get(resource: string): Endpoint | undefined;
  entries(): [resource: string, endpoint: Endpoint][];
  /** Adds the endpoint of a resource whose plugin has not registered since the restart. */
  addStopped(resource: string): void;
  /** Connects a plugin, which replaces the previous one of the resource, and watches its devices. Rejects if it cannot be reached. */
  connect(resource: string, socketPath: string, signal: AbortSignal): Promise<void>;
  /** Disconnects the plugin of the resource. Idempotent. */
  disconnect(resource: string): void;
  delete(resource: string): void;
  /** Disconnects all plugins and waits until their streams have ended. */
  close(): Promise<void>;
}

export function createPlugins({ connect, events, clock, logger }: PluginsOptions): Plugins {
  const endpoints = new Map<string, Endpoint>();
  const streams = new Set<Promise<void>>();
  let ended = new AbortController();

  async function watch(resource: string, endpoint: Endpoint, connection: DevicePluginConnection, signal: AbortSignal): Promise<void> {
    try {
      for await (const devices of connection.listAndWatch(signal)) {
        if (endpoints.get(resource) !== endpoint || endpoint.stoppedAt !== undefined) break;
        events.listed(resource, devices);
      }
      logger.info({ resource }, 'device plugin: ListAndWatch ended');
    } catch (error) {
      if (!signal.aborted) logger.error({ err: error, resource }, 'device plugin: ListAndWatch ended unexpectedly');
    }
    stopped(resource, endpoint);
  }

  /** The stream of a plugin that another one has replaced does not concern the resource. */
  function stopped(resource: string, endpoint: Endpoint): void {
    if (endpoint.stoppedAt !== undefined) return;
    endpoint.stoppedAt = clock.monotonic();
    if (endpoints.get(resource) === endpoint) events.disconnected(resource);
  }

  return {
    get: (resource) => endpoints.get(resource),
    entries: () => [...endpoints],
    addStopped: (resource) => void endpoints.set(resource, { stoppedAt: clock.monotonic() }),
    async connect(resource, socketPath, signal) {
      const connection = connect(socketPath);
      const { signal: until } = ended;
      const options = await connection.options(signal);
      until.throwIfAborted();
      const previous = endpoints.get(resource);
      const controller = new AbortController();
      const endpoint: Endpoint = { connection, options, socketPath, disconnect: () => controller.abort() };
      endpoints.set(resource, endpoint);
      events.connected(resource);
      const stream = watch(resource, endpoint, connection, controller.signal).finally(() => streams.delete(stream));
      streams.add(stream);
      previous?.disconnect?.();
    },
    disconnect(resource) {
      const endpoint = endpoints.get(resource);
      if (endpoint === undefined) return;
      stopped(resource, endpoint);
      endpoint.disconnect?.();
    },
    delete(resource) {
      endpoints.get(resource)?.disconnect?.();
      endpoints.delete(resource);
    },
    async close() {
      ended.abort(new Error('the device manager stops'));
      ended = new AbortController();
      for (const { disconnect } of endpoints.values()) disconnect?.();
      await Promise.all(streams);
    },
  };
}
