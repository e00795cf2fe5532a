import {
  type containerAllocateResponse,
  type devicePluginService,
  type GrpcStatus,
  type Implementation,
  type MessageInit,
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

/** What the service offers, and how it answers. */
export interface DeviceServiceOptions {
  devices: readonly TestDevice[];
  /** Default false. */
  preStartRequired?: boolean;
  /** Chooses devices of `GetPreferredAllocation`. Default: the plugin has no preference. */
  prefer?(available: string[], mustInclude: string[], size: number): string[];
  /** What a container gets with devices. Default: `/dev/<id>` for each. */
  allocate?(ids: string[]): MessageInit<typeof containerAllocateResponse>;
}

/** The gRPC service of a plugin, with its calls and faults. */
export interface DeviceService {
  readonly service: Implementation<typeof devicePluginService>;
  readonly calls: DevicePluginCall[];
  setDevices(devices: readonly TestDevice[]): void;
  fail(method: DevicePluginCall['method'], fault: DevicePluginFault): void;
}

/** @param onCrash - called when the plugin dies during a call */
export function createDeviceService(options: DeviceServiceOptions, onCrash: () => void): DeviceService {
  const { preStartRequired = false, prefer, allocate = devicesAsFiles } = options;
  const calls: DevicePluginCall[] = [];
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
    if (fault.crash) onCrash();
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

  return {
    service,
    calls,
    setDevices(next) {
      devices = next;
      changed();
    },
    fail: (method, fault) => void faults.set(method, fault),
  };
}

const devicesAsFiles = (ids: string[]) => ({
  devices: ids.map((id) => ({ containerPath: `/dev/${id}`, hostPath: `/dev/${id}`, permissions: 'rw' })),
});

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
