import {
  type Clock,
  type Container,
  type Logger,
  type Metrics,
  NodeAgentError,
  type Pod,
  type Startable,
  type TopologyHintProvider,
} from '@nodeagent/api';
import type { DeviceManager, DevicePluginRegistration, DeviceRunOptions, ResourceHealth } from '@nodeagent/device-manager';
import type { NodeDevices } from '@nodeagent/node-status';
import { coreErrorCodes } from '../errors.js';
import type { DevicePluginPorts } from '../options/agent-options.js';
import { managerPackages } from './resource-managers/manager-packages.js';
import type { ManagerContext } from './resource-managers/node-at-start.js';

export interface AgentDevicesOptions extends Partial<DevicePluginPorts> {
  /** Folder of `kubelet.sock`, the plugins' sockets and the checkpoint. */
  pluginDir: string;
  activePods(): readonly Pod[];
  /** Whether containers of a removed pod may still run. */
  couldHaveRunningContainers(podUID: string): boolean;
  sourcesReady(): boolean;
  /** Called with the UIDs of pods whose devices changed their health. */
  healthChanged(podUIDs: readonly string[]): void;
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
}

/** The device plugins of an agent. Before the start there are no devices. */
export interface AgentDevices extends Startable, TopologyHintProvider, NodeDevices {
  /** Loads the device manager; must resolve before the start. */
  load(node: Pick<ManagerContext, 'topology' | 'running'>): Promise<void>;
  /** Undefined before the start. */
  readonly manager: DeviceManager | undefined;
  /** Handler of plugins of type `DevicePlugin` for the plugin manager. */
  readonly registration: DevicePluginRegistration;
  /** What a container gets with its devices. */
  deviceOptions(pod: Pod, container: Container, signal?: AbortSignal): Promise<DeviceRunOptions>;
  /** The number of devices in use by resource, if the pod has devices. */
  devicesInUse(podUID: string): Record<string, number>;
  /** The health of the pod's devices by container. */
  resourceHealth(podUID: string): Record<string, ResourceHealth[]>;
  /** Why the check `device-plugin` of /healthz fails. */
  unhealthyReason(): string | undefined;
}

/** Creates {@link AgentDevices}. `@nodeagent/device-manager` is loaded at start. */
export function createAgentDevices(options: AgentDevicesOptions): AgentDevices {
  let manager: DeviceManager | undefined;
  const removed = new Set<string>();

  function started(): DeviceManager {
    if (manager === undefined) throw new NodeAgentError(coreErrorCodes.notStarted, 'the device manager has not started');
    return manager;
  }

  return {
    get manager() {
      return manager;
    },
    async load({ topology, running }) {
      const { createDeviceManager } = await managerPackages.devices();
      const wasRunning = (podUID: string, containerName: string) =>
        running.some((container) => container.podUID === podUID && container.containerName === containerName);
      manager ??= createDeviceManager({ ...options, topology, wasRunning });
    },
    start: (signal) => started().start(signal),
    stop: async () => manager?.stop(),
    registration: {
      validate: (...plugin) => started().registration.validate(...plugin),
      register: (...plugin) => started().registration.register(...plugin),
      deregister: (...plugin) => started().registration.deregister(...plugin),
    },
    getTopologyHints: (pod, container) => started().getTopologyHints(pod, container),
    getPodTopologyHints: (pod) => started().getPodTopologyHints(pod),
    allocate: (pod, container, hint) => started().allocate(pod, container, hint),
    deviceOptions: (pod, container, signal) => started().deviceOptions(pod, container, signal),
    resources() {
      const { capacity, allocatable, deleted } = manager?.capacity() ?? { capacity: {}, allocatable: {}, deleted: [] };
      for (const name of deleted) removed.add(name);
      for (const name of Object.keys(capacity)) removed.delete(name);
      return { capacity: quantities(capacity), allocatable: quantities(allocatable), removed: [...removed] };
    },
    shouldResetExtendedResources: () => manager?.shouldResetExtendedResources() ?? false,
    devicesInUse: (podUID) => manager?.devicesInUse(podUID) ?? {},
    resourceHealth: (podUID) => manager?.resourceHealth(podUID) ?? {},
    unhealthyReason: () => manager?.unhealthyReason(),
  };
}

const quantities = (counts: Record<string, number>) =>
  Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, `${count}`]));
