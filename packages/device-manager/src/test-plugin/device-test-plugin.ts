import { checkOptionNames, type OptionNames } from '@nodeagent/api';
import {
  callPlugin,
  type containerAllocateResponse,
  devicePluginRegistrationService,
  devicePluginService,
  type GrpcStatus,
  type Implementation,
  type MessageInit,
  type PluginServer,
  registrationService,
  served,
  servePlugin,
  statusError,
} from '@nodeagent/plugin-api';

/** A device of the plugin. */
export interface TestDevice {
  id: string;
  /** Default `Healthy`. */
  health?: string;
  /** Default: the plugin reports no topology. */
  numaNodes?: number[];
}

/** Options of {@link createDeviceTestPlugin}. */
export interface DeviceTestPluginOptions {
  /** The resource, such as `example.com/gpu`. */
  resource: string;
  /** The folder of `kubelet.sock`. */
  pluginDir: string;
  devices: readonly TestDevice[];
  /** Name of the plugin's socket in the folder. Default `test.sock`. */
  endpoint?: string;
  /** Path of a registration socket below an agent's `plugins_registry`. Default: the plugin registers with `register` only. */
  registrationSocket?: string;
  /** Default false. */
  preStartRequired?: boolean;
  /** Chooses devices of `GetPreferredAllocation`. Default: the plugin has no preference. */
  prefer?(available: string[], mustInclude: string[], size: number): string[];
  /** What a container gets with devices. Default: `/dev/<id>` for each. */
  allocate?(ids: string[]): MessageInit<typeof containerAllocateResponse>;
}

/** A call that the plugin received. */
export interface DevicePluginCall {
  method: 'getDevicePluginOptions' | 'listAndWatch' | 'getPreferredAllocation' | 'allocate' | 'preStartContainer';
  /** The devices of the call: those to allocate or to start, or those that must be included. Absent without any. */
  ids?: string[];
}

/** A fault of the next call of a method. */
export interface DevicePluginFault {
  /** The status of the response. */
  status?: GrpcStatus;
  message?: string;
  /** The plugin does not respond. */
  hang?: boolean;
  /** The plugin dies during the call. */
  crash?: boolean;
  /** The response contains no container. */
  empty?: boolean;
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

const optionNames: OptionNames<DeviceTestPluginOptions> = {
  resource: true,
  pluginDir: true,
  devices: { id: true, health: true, numaNodes: true },
  endpoint: true,
  registrationSocket: true,
  preStartRequired: true,
  prefer: true,
  allocate: true,
};

/** Creates a {@link DeviceTestPlugin}. */
export function createDeviceTestPlugin(options: DeviceTestPluginOptions): DeviceTestPlugin {
  checkOptionNames('createDeviceTestPlugin', options, optionNames);
  const { resource, pluginDir, endpoint = 'test.sock', registrationSocket, preStartRequired = false, prefer } = options;
  const {
    allocate = (ids) => ({ devices: ids.map((id) => ({ containerPath: `/dev/${id}`, hostPath: `/dev/${id}`, permissions: 'rw' })) }),
  } = options;
  const socket = `${pluginDir}/${endpoint}`;
  const servers: PluginServer[] = [];
  const calls: DevicePluginCall[] = [];
  const registrations: string[] = [];
  const faults = new Map<DevicePluginCall['method'], DevicePluginFault>();
  let devices = options.devices;
  let changed = () => {};
  const onChange = (listener: () => void) => {
    changed = listener;
  };

  /** Records a call, and applies its fault; true if the response must be empty. */
  async function receive(call: DevicePluginCall, signal: AbortSignal): Promise<boolean> {
    calls.push(call);
    const fault = faults.get(call.method) ?? {};
    faults.delete(call.method);
    if (fault.crash) void plugin.stop();
    if (fault.crash || fault.hang) await aborted(signal);
    if (fault.status !== undefined) throw statusError(fault.status, fault.message ?? 'injected fault');
    return fault.empty ?? false;
  }

  const service: Implementation<typeof devicePluginService> = {
    async getDevicePluginOptions(_, signal) {
      await receive({ method: 'getDevicePluginOptions' }, signal);
      return { preStartRequired, getPreferredAllocationAvailable: prefer !== undefined };
    },
    async *listAndWatch(_, signal) {
      await receive({ method: 'listAndWatch' }, signal);
      while (!signal.aborted) {
        yield { devices: devices.map(deviceMessage) };
        await Promise.race([aborted(signal).catch(() => {}), new Promise<void>(onChange)]);
      }
    },
    async getPreferredAllocation({ containerRequests }, signal) {
      const [{ availableDeviceIDs = [], mustIncludeDeviceIDs = [], allocationSize = 0n } = {}] = containerRequests;
      const isEmpty = await receive({ method: 'getPreferredAllocation', ids: mustIncludeDeviceIDs }, signal);
      const deviceIDs = prefer?.(availableDeviceIDs, mustIncludeDeviceIDs, Number(allocationSize)) ?? [];
      return { containerResponses: isEmpty ? [] : [{ deviceIDs }] };
    },
    async allocate({ containerRequests }, signal) {
      const ids = containerRequests.flatMap(({ devicesIds }) => devicesIds);
      const isEmpty = await receive({ method: 'allocate', ids }, signal);
      return { containerResponses: isEmpty ? [] : [allocate(ids)] };
    },
    async preStartContainer({ devicesIds }, signal) {
      await receive({ method: 'preStartContainer', ids: devicesIds }, signal);
      return {};
    },
  };

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
      await Promise.all(servers.splice(0).map((server) => server.close()));
    },
    setDevices(next) {
      devices = next;
      changed();
    },
    fail: (method, fault) => void faults.set(method, fault),
    calls,
    registrations,
  };
  return plugin;
}

const deviceMessage = ({ id, health = 'Healthy', numaNodes }: TestDevice) => ({
  ID: id,
  health,
  ...(numaNodes !== undefined && { topology: { nodes: numaNodes.map((node) => ({ ID: BigInt(node) })) } }),
});

const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
