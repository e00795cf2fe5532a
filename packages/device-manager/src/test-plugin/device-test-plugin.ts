import {
  callPlugin,
  devicePluginRegistrationService,
  devicePluginService,
  type Implementation,
  type PluginServer,
  registrationService,
  served,
  servePlugin,
} from '@nodeagent/plugin-api';
import {
  createDeviceService,
  type DevicePluginCall,
  type DevicePluginFault,
  type DeviceServiceOptions,
  type TestDevice,
} from './device-service.js';

/** Options of {@link createDeviceTestPlugin}. */
export interface DeviceTestPluginOptions extends DeviceServiceOptions {
  /** The resource, such as `example.com/gpu`. */
  resource: string;
  /** The folder of `kubelet.sock`. */
  pluginDir: string;
  /** Name of the plugin's socket in the folder. Default `test.sock`. */
  endpoint?: string;
  /** Path of a registration socket below an agent's `plugins_registry`. Default: the plugin registers with `register` only. */
  registrationSocket?: string;
}

/** A device plugin over real sockets, for tests. */
export interface DeviceTestPlugin {
  /** Serves the plugin's socket; can be called again after `stop` or a crash. */
  start(): Promise<void>;
  /** Registers on `kubelet.sock`. Rejects with the error of the kubelet. */
  register(changes?: { version?: string; resource?: string; endpoint?: string }): Promise<void>;
  /** Closes the sockets, which ends the stream of devices. Idempotent. */
  stop(): Promise<void>;
  /** Sends another list of devices. */
  setDevices(devices: readonly TestDevice[]): void;
  /** Injects a fault into the next call of the method. */
  fail(method: DevicePluginCall['method'], fault: DevicePluginFault): void;
  /** All calls so far, including failed ones. */
  readonly calls: DevicePluginCall[];
  /** The registration statuses that the agent sent: `registered`, or the error. */
  readonly registrations: string[];
}

/** Creates a {@link DeviceTestPlugin}. */
export function createDeviceTestPlugin(options: DeviceTestPluginOptions): DeviceTestPlugin {
  const { resource, pluginDir, endpoint = 'test.sock', registrationSocket, preStartRequired = false } = options;
  const socket = `${pluginDir}/${endpoint}`;
  const servers: PluginServer[] = [];
  /** Closing a server removes its socket: a new one must not be there yet. */
  let closed: Promise<unknown> = Promise.resolve();
  const registrations: string[] = [];
  const { service, calls, setDevices, fail } = createDeviceService(options, () => void plugin.stop());

  const registration: Implementation<typeof registrationService> = {
    getInfo: () => ({ type: 'DevicePlugin', name: resource, endpoint: socket, supportedVersions: ['v1beta1'] }),
    notifyRegistrationStatus({ pluginRegistered, error }) {
      registrations.push(pluginRegistered ? 'registered' : error);
      return {};
    },
  };

  const plugin: DeviceTestPlugin = {
    async start() {
      await plugin.stop();
      servers.push(await servePlugin(socket, [served(devicePluginService, service)]));
      if (registrationSocket !== undefined)
        servers.push(await servePlugin(registrationSocket, [served(registrationService, registration)]));
    },
    async register(changes = {}) {
      const { version = 'v1beta1', resource: resourceName = resource, endpoint: name = endpoint } = changes;
      const request = { version, endpoint: name, resourceName, options: { preStartRequired } };
      const timeouts = { dialTimeoutMs: 10_000, timeoutMs: 30_000 };
      await callPlugin(`${pluginDir}/kubelet.sock`, devicePluginRegistrationService.register, request, timeouts);
    },
    async stop() {
      closed = Promise.all([closed, ...servers.splice(0).map((server) => server.close())]);
      await closed;
    },
    setDevices,
    fail,
    calls,
    registrations,
  };
  return plugin;
}
