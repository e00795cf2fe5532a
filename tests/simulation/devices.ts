import type { Clock } from '@nodeagent/api';
import type { DevicePluginPorts } from '@nodeagent/core/node';

export const deviceResource = 'simulated.io/device';

/** The devices, with the NUMA node of each. */
const numaNodes = new Map([
  ['device0', 0],
  ['device1', 0],
  ['device2', 1],
  ['device3', 1],
]);
const allocateMs = 10;
const socketPath = '/var/lib/nodeagent/device-plugins/simulated.sock';

type ConnectPlugin = Parameters<DevicePluginPorts['listen']>[0];

/** A device plugin of a simulated machine, which outlives agents and registers with each of them. */
export interface SimulatedDevices {
  /** For one agent of the machine, on its clock: nothing reaches an agent after its kill. */
  ports(clock: Clock): DevicePluginPorts;
  /** Ends or starts the process of the plugin. */
  setRunning(isRunning: boolean): void;
  /** IDs of all devices. */
  readonly ids: readonly string[];
  setHealthy(id: string, isHealthy: boolean): void;
  /** Additional duration of Allocate, in milliseconds. */
  slowMs: number;
}

/** An agent that accepts registrations. */
interface Listener {
  clock: Clock;
  connectPlugin: ConnectPlugin;
}

export function createSimulatedDevices(): SimulatedDevices {
  const unhealthy = new Set<string>();
  const changed = new Set<() => void>();
  let isRunning = true;
  let listener: Listener | undefined;

  const notify = () => {
    for (const resolve of changed) resolve();
    changed.clear();
  };
  const refuse = () => {
    if (!isRunning) throw new Error(`connect ENOENT ${socketPath}`);
  };
  /** A plugin registers a second after the agent listens. */
  const register = () => {
    if (listener === undefined) return;
    const { clock, connectPlugin } = listener;
    clock.setTimeout(() => {
      if (isRunning) void connectPlugin(deviceResource, socketPath, new AbortController().signal).catch(() => {});
    }, 1_000);
  };

  const connectionOn = (clock: Clock): ReturnType<DevicePluginPorts['connect']> => ({
    async options() {
      refuse();
      return { preStartRequired: false, getPreferredAllocationAvailable: false };
    },
    async *listAndWatch(signal) {
      const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      while (isRunning && !signal.aborted) {
        yield Array.from(numaNodes, ([id, node]) => ({ id, health: unhealthy.has(id) ? 'Unhealthy' : 'Healthy', numaNodes: [node] }));
        await Promise.race([aborted, new Promise<void>((resolve) => changed.add(resolve))]);
        if (!signal.aborted) await clock.sleep(1);
      }
    },
    async allocate(ids, signal) {
      await clock.sleep(allocateMs + devices.slowMs, signal);
      refuse();
      const given = ids.map((id) => ({ containerPath: `/dev/${id}`, hostPath: `/dev/${id}`, permissions: 'rw' }));
      return [{ envs: {}, mounts: [], devices: given, annotations: {}, cdiDevices: [] }];
    },
    preferredAllocation: async () => [],
    async preStartContainer() {},
  });

  const devices: SimulatedDevices = {
    ports: (clock) => ({
      async listen(connectPlugin) {
        const own = { clock, connectPlugin };
        listener = own;
        register();
        return {
          async close() {
            if (listener === own) listener = undefined;
          },
        };
      },
      connect: () => connectionOn(clock),
    }),
    setRunning(value) {
      if (isRunning === value) return;
      isRunning = value;
      if (isRunning) register();
      else notify();
    },
    ids: [...numaNodes.keys()],
    setHealthy(id, isHealthy) {
      if (isHealthy) unhealthy.delete(id);
      else unhealthy.add(id);
      notify();
    },
    slowMs: 0,
  };
  return devices;
}
