import { type Container, errorMessage, type Pod, type Startable, type TopologyHint, type TopologyHintProvider } from '@nodeagent/api';
import type { PluginServer } from '@nodeagent/plugin-api';
import { createDeviceAllocator, type DeviceAllocator } from './device-allocator.js';
import { type DeviceCapacity, deviceCapacity, endpointStopGracePeriodMs } from './device-capacity.js';
import { createDeviceTable, type DeviceTable } from './device-table.js';
import { disconnectDevices, noDevices, type PluginDevice, receiveDevices } from './devices.js';
import { createDeviceMetrics } from './metrics.js';
import { type DeviceManagerOptions, type ResolvedOptions, resolveOptions } from './options.js';
import { createPluginCalls, type PluginCalls } from './plugin-calls.js';
import { preparePluginFolder } from './plugin-folder.js';
import { createPlugins, type Plugins } from './plugins.js';
import type { DeviceRecord, DevicesPerNuma } from './pod-devices.js';
import { type ConnectPlugin, type DevicePluginRegistration, devicePluginRegistration, serveDeviceRegistration } from './registration.js';
import { podsWithChangedHealth, type ResourceHealth, resourceHealth } from './resource-health.js';
import { type DeviceRunOptions, deviceRunOptions } from './run-options.js';
import { createSavedDevices, type SavedDevices } from './saved-devices.js';

/** The plugins, their devices and who has them. Plain JSON. */
export interface DeviceExplanation {
  resources: {
    resource: string;
    /** Path of the plugin's socket; absent until the plugin registers after a restart of the agent. */
    socketPath?: string;
    isConnected: boolean;
    /** When the resource is removed from the node unless its plugin registers, in milliseconds from now; absent while it is connected. */
    removedInMs?: number;
    devices: (Pick<PluginDevice, 'id' | 'health' | 'numaNodes'> & { canBeAllocated: boolean })[];
  }[];
  containers: { podUID: string; containerName: string; resource: string; devices: DevicesPerNuma }[];
}

/** Runs the device plugins of a node, and allocates their devices to containers. */
export interface DeviceManager extends TopologyHintProvider, Startable {
  /** Reads the checkpoint and serves `kubelet.sock`. A corrupt checkpoint is logged and renamed. Rejects with `PluginListenFailed`. */
  start(signal?: AbortSignal): Promise<void>;
  /** Handler of plugins of type `DevicePlugin` for `@nodeagent/plugin-manager`. */
  readonly registration: DevicePluginRegistration;
  /** The resources for the node's status. Removes resources whose plugin has been disconnected for more than 5 minutes. */
  capacity(): DeviceCapacity;
  /** What a container gets with its devices. Calls PreStartContainer of plugins that require it. Rejects with `DeviceAllocationFailed`. */
  deviceOptions(pod: Pod, container: Container, signal?: AbortSignal): Promise<DeviceRunOptions>;
  /** The devices of a container by resource. */
  devices(podUID: string, containerName: string): Record<string, DevicesPerNuma>;
  /** The healthy devices by resource. */
  allocatableDevices(): Record<string, PluginDevice[]>;
  /** The number of devices in use by resource, if the pod has devices: at admission the node offers no fewer, whatever their health. */
  devicesInUse(podUID: string): Record<string, number>;
  /**
   * Whether the node is new, without a checkpoint: a Node that registers again has none of its extended resources until device plugins
   * register.
   */
  shouldResetExtendedResources(): boolean;
  /** The health of the pod's devices by container, for `allocatedResourcesStatus`. */
  resourceHealth(podUID: string): Record<string, ResourceHealth[]>;
  /** Why the check `device-plugin` of /healthz fails; undefined while `kubelet.sock` is served. */
  unhealthyReason(): string | undefined;
  explain(): DeviceExplanation;
}

/** Creates a {@link DeviceManager}. Throws `InvalidOption`. */
export function createDeviceManager(options: DeviceManagerOptions): DeviceManager {
  return new PluginDeviceManager(resolveOptions(options));
}

class PluginDeviceManager implements DeviceManager {
  readonly registration: DevicePluginRegistration;
  readonly #options: ResolvedOptions;
  readonly #metrics;
  readonly #table: DeviceTable;
  readonly #saved: SavedDevices;
  readonly #plugins: Plugins;
  readonly #calls: PluginCalls;
  readonly #allocator: DeviceAllocator;
  #starting: Promise<void> | undefined;
  #server: Pick<PluginServer, 'close'> | undefined;
  #serverError: unknown;

  constructor(options: ResolvedOptions) {
    const { topology, connect, clock, logger } = options;
    this.#options = options;
    this.#metrics = createDeviceMetrics(options.metrics);
    const table = createDeviceTable(topology.numaNodes.map(({ id }) => id));
    this.#table = table;
    this.#saved = createSavedDevices({ ...options, table });
    const events = {
      connected: (resource: string) => logger.info({ resource }, 'device plugin connected'),
      listed: (resource: string, list: readonly PluginDevice[]) => this.#listed(resource, list),
      disconnected: (resource: string) => this.#disconnected(resource),
    };
    this.#plugins = createPlugins({ connect, clock, logger, events });
    this.#calls = createPluginCalls({ ...options, plugins: this.#plugins });
    this.#allocator = createDeviceAllocator({ ...options, table, saved: this.#saved, calls: this.#calls, metrics: this.#metrics });
    this.registration = devicePluginRegistration(this.#connect, (resource) => this.#plugins.disconnect(resource));
  }

  async start(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return;
    this.#starting ??= this.#start();
    await this.#starting;
    signal?.addEventListener('abort', () => void this.stop(), { once: true });
  }

  async stop(): Promise<void> {
    await this.#starting?.catch(() => {});
    this.#starting = undefined;
    await this.#server?.close();
    this.#server = undefined;
    this.#calls.abort(new Error('the device manager stops'));
    await this.#plugins.close();
    await this.#saved.saved();
  }

  getTopologyHints(pod: Pod, container: Container) {
    return this.#allocator.getTopologyHints(pod, container);
  }

  getPodTopologyHints(pod: Pod) {
    return this.#allocator.getPodTopologyHints(pod);
  }

  allocate(pod: Pod, container: Container, hint: TopologyHint): Promise<void> {
    return this.#allocator.allocate(pod, container, hint);
  }

  async deviceOptions(pod: Pod, container: Container, signal?: AbortSignal): Promise<DeviceRunOptions> {
    return deviceRunOptions(await this.#allocator.recordsToStart(pod, container, signal), this.#options.logger);
  }

  capacity(): DeviceCapacity {
    const now = this.#options.clock.monotonic();
    const { resources } = this.#table;
    const result = deviceCapacity(
      Array.from(resources, ([resource, devices]) => {
        const endpoint = this.#plugins.get(resource);
        const stoppedAt = endpoint === undefined ? Number.NEGATIVE_INFINITY : endpoint.stoppedAt;
        return { resource, devices, disconnectedForMs: stoppedAt === undefined ? undefined : now - stoppedAt };
      }),
    );
    for (const resource of result.deleted) {
      resources.delete(resource);
      this.#plugins.delete(resource);
    }
    if (result.deleted.length > 0) this.#saved.save();
    return result;
  }

  devices(podUID: string, containerName: string): Record<string, DevicesPerNuma> {
    const records = this.#table.podDevices.ofContainer(podUID, containerName);
    return Object.fromEntries(records.map(({ resource, devices }) => [resource, devices]));
  }

  allocatableDevices(): Record<string, PluginDevice[]> {
    return Object.fromEntries(
      Array.from(this.#table.resources, ([resource, { all, healthy }]) => [
        resource,
        [...all.values()].filter(({ id }) => healthy.has(id)),
      ]),
    );
  }

  devicesInUse(podUID: string): Record<string, number> {
    const { podDevices, inUse } = this.#table;
    return podDevices.ofPod(podUID).length === 0 ? {} : Object.fromEntries(Array.from(inUse, ([resource, ids]) => [resource, ids.size]));
  }

  shouldResetExtendedResources(): boolean {
    return !this.#saved.exists;
  }

  resourceHealth(podUID: string): Record<string, ResourceHealth[]> {
    const { podDevices, resources } = this.#table;
    return resourceHealth(podUID, podDevices, (resource) => resources.get(resource));
  }

  unhealthyReason(): string | undefined {
    const error = this.#serverError;
    return error === undefined ? undefined : `device plugin registration gRPC server failed: ${errorMessage(error)}`;
  }

  explain(): DeviceExplanation {
    const { podDevices, resources } = this.#table;
    return {
      resources: [...resources.keys()].map((resource) => this.#explainResource(resource)),
      containers: podDevices.all().map(({ response: _, ...record }: DeviceRecord) => record),
    };
  }

  #explainResource(resource: string): DeviceExplanation['resources'][number] {
    const { all, healthy } = this.#table.resources.get(resource) ?? noDevices;
    const inUse = this.#table.inUse.get(resource);
    const { socketPath, stoppedAt } = this.#plugins.get(resource) ?? {};
    const now = this.#options.clock.monotonic();
    return {
      resource,
      ...(socketPath !== undefined && { socketPath }),
      isConnected: stoppedAt === undefined,
      ...(stoppedAt !== undefined && { removedInMs: Math.max(stoppedAt + endpointStopGracePeriodMs - now, 0) }),
      devices: [...all.values()].map((device) => ({ ...device, canBeAllocated: healthy.has(device.id) && !inUse?.has(device.id) })),
    };
  }

  readonly #connect: ConnectPlugin = (resource, socketPath, signal) => this.#plugins.connect(resource, socketPath, signal);

  async #start(): Promise<void> {
    const { listen = (connect: ConnectPlugin) => this.#listen(connect) } = this.#options;
    try {
      await this.#load();
      this.#server = await listen(this.#connect);
      this.#serverError = undefined;
    } catch (error) {
      this.#serverError = error;
      throw error;
    }
  }

  async #load(): Promise<void> {
    const { records = [], registered = {} } = (await this.#saved.load()) ?? {};
    for (const record of records) this.#table.podDevices.set(record);
    this.#table.refreshInUse();
    for (const resource of Object.keys(registered)) {
      this.#table.resources.set(resource, noDevices);
      this.#plugins.addStopped(resource);
    }
  }

  async #listen(connect: ConnectPlugin): Promise<PluginServer> {
    const { pluginDir } = this.#options;
    await preparePluginFolder(pluginDir);
    const counted = (resource: string) => this.#metrics.registrations.inc({ resource_name: resource });
    return serveDeviceRegistration(pluginDir, { connect, counted });
  }

  #listed(resource: string, list: readonly PluginDevice[]): void {
    const { resources, podDevices } = this.#table;
    const before = resources.get(resource) ?? noDevices;
    const after = receiveDevices(list);
    if (after.all.size < list.length) {
      this.#options.logger.warn({ resource }, 'device plugin: two devices have one ID, using the last');
    }
    resources.set(resource, after);
    this.#saved.save();
    const pods = podsWithChangedHealth(resource, before, after, podDevices);
    if (pods.length > 0) this.#options.healthChanged(pods);
  }

  #disconnected(resource: string): void {
    const { resources } = this.#table;
    const devices = resources.get(resource);
    if (devices !== undefined) resources.set(resource, disconnectDevices(devices));
    this.#options.logger.info({ resource }, 'device plugin disconnected: its devices are unhealthy');
  }
}
