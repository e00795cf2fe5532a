import { type Container, invalidOption, type Pod, type Startable, type TopologyHintProvider } from '@nodeagent/api';
import type { DeviceManager, DevicePluginRegistration, DeviceRunOptions, ResourceHealth } from '@nodeagent/device-manager';
import type { NodeDevices } from '@nodeagent/node-status';
import type { AgentParts, Components } from '../components.js';
import { exceptOnMachine } from '../host/except-on-machine.js';
import type { NodeAtStart } from './resource-managers/node-at-start.js';

/** The device plugins of an agent. Before the start there are no devices. */
export interface AgentDevices extends Startable, TopologyHintProvider, NodeDevices {
  /** Loads the device manager; must resolve before the start. */
  load(node: Pick<NodeAtStart, 'topology' | 'running'>): Promise<void>;
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

/** Undefined: device plugins are reached by gRPC. Throws `InvalidOption` if they are on. */
export function devices({ settings }: Components): AgentParts['devices'] {
  if (settings.devicePlugins) throw invalidOption('settings.devicePlugins', `false, ${exceptOnMachine}`, true);
  return undefined;
}
