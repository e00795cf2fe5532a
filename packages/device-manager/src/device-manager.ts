import {
  type CheckpointFile,
  type Container,
  checkOptionNames,
  createCheckpointFile,
  createCheckpointSaver,
  errorMessage,
  invalidOption,
  isSidecar,
  NodeAgentError,
  noMetrics,
  type OptionNames,
  type Pod,
  podUid,
  requirePositive,
  type Startable,
  silentLogger,
  systemClock,
  type TopologyHint,
  type TopologyHintProvider,
  type TopologyHints,
} from '@nodeagent/api';
import type { PluginServer } from '@nodeagent/plugin-api';
import { type DeviceCheckpoint, decodeDeviceCheckpoint, encodeDeviceCheckpoint } from './checkpoint.js';
import { chooseDevices } from './choose-devices.js';
import { type DeviceCapacity, deviceCapacity, endpointStopGracePeriodMs } from './device-capacity.js';
import { deviceHints } from './device-hints.js';
import { containerDeviceRequests, podDeviceRequests } from './device-requests.js';
import { disconnectDevices, hasTopologyAlignment, noDevices, type PluginDevice, type ResourceDevices, receiveDevices } from './devices.js';
import { deviceManagerErrorCodes } from './errors.js';
import { createDeviceMetrics } from './metrics.js';
import type { DeviceManagerOptions } from './options.js';
import { createPluginCalls } from './plugin-calls.js';
import { grpcDevicePlugin } from './plugin-connection.js';
import { preparePluginFolder } from './plugin-folder.js';
import { createPlugins } from './plugins.js';
import { createPodDevices, type DeviceRecord, type DevicesPerNuma, idsOf } from './pod-devices.js';
import { type ConnectPlugin, type DevicePluginRegistration, devicePluginRegistration, serveDeviceRegistration } from './registration.js';
import { podsWithChangedHealth, type ResourceHealth, resourceHealth } from './resource-health.js';
import { type DeviceRunOptions, deviceRunOptions } from './run-options.js';

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

const noTopologyNode = -1;

const optionNames: OptionNames<DeviceManagerOptions> = {
  pluginDir: true,
  topology: true,
  activePods: true,
  couldHaveRunningContainers: true,
  sourcesReady: true,
  wasRunning: true,
  healthChanged: true,
  listen: true,
  connect: true,
  store: { load: true, save: true },
  allocateTimeoutMs: true,
  clock: true,
  logger: true,
  metrics: true,
};

/** Creates a {@link DeviceManager}. Throws `InvalidOption`. */
export function createDeviceManager(options: DeviceManagerOptions): DeviceManager {
  checkOptionNames('createDeviceManager', options, optionNames);
  const { pluginDir, topology, activePods, sourcesReady = () => true, wasRunning = () => false, healthChanged = () => {} } = options;
  const { couldHaveRunningContainers = () => false } = options;
  const { connect = grpcDevicePlugin, allocateTimeoutMs = 300_000, clock = systemClock, logger = silentLogger } = options;
  if (typeof pluginDir !== 'string' || pluginDir === '') throw invalidOption('pluginDir', 'a path', pluginDir);
  if (typeof activePods !== 'function') throw invalidOption('activePods', 'a function', activePods);
  if (topology === undefined) throw invalidOption('topology', "the machine's topology", topology);
  requirePositive('allocateTimeoutMs', allocateTimeoutMs);
  const metrics = createDeviceMetrics(options.metrics ?? noMetrics);
  const numaNodes = topology.numaNodes.map(({ id }) => id);

  const devicesByResource = new Map<string, ResourceDevices>();
  const podDevices = createPodDevices();
  let inUse = new Map<string, Set<string>>();
  /** Devices of finished init containers, of the pod that is being admitted. */
  let reusable = { podUID: '', ids: new Map<string, Set<string>>() };
  let server: Pick<PluginServer, 'close'> | undefined;
  let serverError: unknown;

  const file = options.store
    ? storedCheckpoint(options.store)
    : createCheckpointFile({
        path: `${pluginDir}/kubelet_internal_checkpoint`,
        encode: encodeDeviceCheckpoint,
        decode: decodeDeviceCheckpoint,
      });
  let hasCheckpoint = false;
  let saveError: unknown;
  const saver = createCheckpointSaver(
    {
      async save(checkpoint: DeviceCheckpoint) {
        saveError = undefined;
        await file.save(checkpoint);
        hasCheckpoint = true;
      },
    },
    () => ({
      records: podDevices.all(),
      registered: Object.fromEntries(Array.from(devicesByResource, ([resource, { healthy }]) => [resource, [...healthy]])),
    }),
    (error) => {
      saveError = error;
      logger.error({ err: error }, 'failed to write the checkpoint of the device manager');
    },
  );

  const plugins = createPlugins({
    connect,
    clock,
    logger,
    events: {
      connected(resource) {
        logger.info({ resource }, 'device plugin connected');
      },
      listed(resource, list) {
        const before = devicesByResource.get(resource) ?? noDevices;
        const after = receiveDevices(list);
        if (after.all.size < list.length) logger.warn({ resource }, 'device plugin: two devices have one ID, using the last');
        devicesByResource.set(resource, after);
        saver.save();
        const pods = podsWithChangedHealth(resource, before, after, podDevices);
        if (pods.length > 0) healthChanged(pods);
      },
      disconnected(resource) {
        const devices = devicesByResource.get(resource);
        if (devices !== undefined) devicesByResource.set(resource, disconnectDevices(devices));
        logger.info({ resource }, 'device plugin disconnected: its devices are unhealthy');
      },
    },
  });
  const calls = createPluginCalls({ plugins, clock, allocateTimeoutMs });

  const isDevice = (resource: string) => devicesByResource.has(resource) || inUse.has(resource);

  function releaseInactive(admitted: Pod): void {
    if (!sourcesReady()) return;
    const active = new Set([...activePods(), admitted].map(podUid));
    if (podDevices.retain((podUID) => active.has(podUID) || couldHaveRunningContainers(podUID))) inUse = podDevices.inUse();
  }

  /** The hints for a request: for the devices that are held, if there are any, else for those that can be allocated. */
  function hintsFor(resource: string, request: number, held: ReadonlySet<string> | undefined, reused: ReadonlySet<string>) {
    const devices = devicesByResource.get(resource) ?? noDevices;
    if (!hasTopologyAlignment(devices)) return null;
    if (held !== undefined) return held.size === request ? deviceHints({ devices, available: held, reusable: [], request, numaNodes }) : [];
    const used = inUse.get(resource);
    const available = [...devices.healthy].filter((id) => !used?.has(id));
    if (new Set([...available, ...reused]).size < request) return [];
    return deviceHints({ devices, available, reusable: reused, request, numaNodes });
  }

  const reusableIds = (podUID: string, resource: string) =>
    (reusable.podUID === podUID ? reusable.ids.get(resource) : undefined) ?? new Set<string>();

  async function allocateResource(
    pod: Pod,
    container: Container,
    resource: string,
    required: number,
    hint: TopologyHint,
  ): Promise<boolean> {
    const [podUID, containerName] = [podUid(pod), container.name];
    const held = podDevices.ids(podUID, containerName, resource);
    const { ids } = await chooseDevices({
      podUID,
      containerName,
      resource,
      required,
      devices: devicesByResource.get(resource),
      held,
      inUse: inUse.get(resource) ?? new Set(),
      reusable: reusableIds(podUID, resource),
      hintNodes: hint.numaNodes,
      keepsDevices: !sourcesReady() && wasRunning(podUID, containerName),
      prefer: (available, mustInclude, size) => calls.preferredAllocation(resource, available, mustInclude, size),
    });
    if (ids.length === 0) return false;
    // In use from here on: the plugin may answer late, and other containers must not get them meanwhile.
    inUse.set(resource, new Set([...(inUse.get(resource) ?? []), ...ids]));
    const all = devicesByResource.get(resource)?.all;
    const started = clock.monotonic();
    try {
      const response = await calls.allocate(resource, ids).finally(() => {
        metrics.allocationSeconds.observe((clock.monotonic() - started) / 1000, { resource_name: resource });
      });
      podDevices.set({ podUID, containerName, resource, devices: devicesPerNuma(ids, all), response });
    } finally {
      inUse = podDevices.inUse();
    }
    return true;
  }

  let allocating: Promise<unknown> = Promise.resolve();
  /** One at a time: a container that starts may need its devices again while a pod is admitted. */
  function allocate(pod: Pod, container: Container, hint: TopologyHint): Promise<void> {
    const allocation = allocating.then(() => allocateContainer(pod, container, hint));
    allocating = allocation.catch(() => {});
    return allocation;
  }

  async function allocateContainer(pod: Pod, container: Container, hint: TopologyHint): Promise<void> {
    const podUID = podUid(pod);
    if (reusable.podUID !== podUID) reusable = { podUID, ids: new Map() };
    const requests = containerDeviceRequests(pod, container, isDevice);
    if (requests.size > 0) releaseInactive(pod);
    let hasChanged = false;
    try {
      for (const [resource, required] of requests) {
        if (await allocateResource(pod, container, resource, required, hint)) hasChanged = true;
      }
    } finally {
      if (hasChanged) saver.save();
    }
    await saver.saved();
    // The next agent would give the devices to another container.
    if (hasChanged && saveError !== undefined) {
      const message = `failed to write the checkpoint of the device manager: ${errorMessage(saveError)}`;
      throw new NodeAgentError(deviceManagerErrorCodes.allocationFailed, message, { retryable: true, cause: saveError });
    }
    const isPlainInit = pod.spec?.initContainers?.some((each) => each.name === container.name && !isSidecar(each)) ?? false;
    for (const record of podDevices.ofContainer(podUID, container.name)) {
      const ids = new Set(reusable.ids.get(record.resource));
      for (const id of idsOf(record)) isPlainInit ? ids.add(id) : ids.delete(id);
      reusable.ids.set(record.resource, ids);
    }
  }

  async function preStart(podUID: string, containerName: string, resource: string, signal?: AbortSignal): Promise<void> {
    if (!calls.requiresPreStart(resource)) return;
    const ids = podDevices.ids(podUID, containerName, resource);
    if (ids === undefined) {
      const what = `pod ${podUID}, container ${containerName}, resource ${resource}`;
      throw new NodeAgentError(deviceManagerErrorCodes.allocationFailed, `no devices found allocated in local cache for ${what}`);
    }
    await calls.preStartContainer(resource, [...ids], signal);
  }

  async function listenOnSocket(connectPlugin: ConnectPlugin): Promise<PluginServer> {
    await preparePluginFolder(pluginDir);
    const counted = (resource: string) => metrics.registrations.inc({ resource_name: resource });
    return serveDeviceRegistration(pluginDir, { connect: connectPlugin, counted });
  }

  const registerPlugin = (resource: string, socketPath: string, signal: AbortSignal) => plugins.connect(resource, socketPath, signal);

  async function load(): Promise<void> {
    const checkpoint = await file.load().catch((error) => {
      hasCheckpoint = true;
      logger.error({ err: error }, 'continue after failing to read checkpoint file: device allocation info may NOT be up-to-date');
      return undefined;
    });
    hasCheckpoint ||= checkpoint !== undefined;
    for (const record of checkpoint?.records ?? []) podDevices.set(record);
    inUse = podDevices.inUse();
    for (const resource of Object.keys(checkpoint?.registered ?? {})) {
      devicesByResource.set(resource, noDevices);
      plugins.addStopped(resource);
    }
  }

  const { listen = listenOnSocket } = options;
  let starting: Promise<void> | undefined;
  async function start(): Promise<void> {
    try {
      await load();
      server = await listen(registerPlugin);
      serverError = undefined;
    } catch (error) {
      serverError = error;
      throw error;
    }
  }

  async function stop(): Promise<void> {
    await starting?.catch(() => {});
    starting = undefined;
    await server?.close();
    server = undefined;
    calls.abort(new Error('the device manager stops'));
    await plugins.close();
    await saver.saved();
  }

  return {
    async start(signal) {
      if (signal?.aborted) return;
      starting ??= start();
      await starting;
      signal?.addEventListener('abort', () => void stop(), { once: true });
    },
    stop,
    registration: devicePluginRegistration(registerPlugin, (resource) => plugins.disconnect(resource)),
    getTopologyHints(pod, container): TopologyHints {
      releaseInactive(pod);
      const podUID = podUid(pod);
      const requests = containerDeviceRequests(pod, container, isDevice);
      return Object.fromEntries(
        Array.from(requests, ([resource, request]) => {
          const held = podDevices.ids(podUID, container.name, resource);
          return [resource, hintsFor(resource, request, held, reusableIds(podUID, resource))];
        }),
      );
    },
    getPodTopologyHints(pod): TopologyHints {
      releaseInactive(pod);
      const requests = podDeviceRequests(pod, isDevice);
      return Object.fromEntries(
        Array.from(requests, ([resource, request]) => [
          resource,
          hintsFor(resource, request, podDevices.ids(podUid(pod), undefined, resource), new Set()),
        ]),
      );
    },
    allocate,
    capacity() {
      const now = clock.monotonic();
      const result = deviceCapacity(
        Array.from(devicesByResource, ([resource, devices]) => {
          const endpoint = plugins.get(resource);
          const stoppedAt = endpoint === undefined ? Number.NEGATIVE_INFINITY : endpoint.stoppedAt;
          return { resource, devices, disconnectedForMs: stoppedAt === undefined ? undefined : now - stoppedAt };
        }),
      );
      for (const resource of result.deleted) {
        devicesByResource.delete(resource);
        plugins.delete(resource);
      }
      if (result.deleted.length > 0) saver.save();
      return result;
    },
    async deviceOptions(pod, container, signal) {
      const podUID = podUid(pod);
      let isMissing = false;
      for (const [resource, required] of containerDeviceRequests(pod, container, isDevice)) {
        if (required === 0) continue;
        await preStart(podUID, container.name, resource, signal);
        const isActive = activePods().some((each) => podUid(each) === podUID);
        if (isActive && podDevices.ids(podUID, container.name, resource) === undefined) isMissing = true;
      }
      if (isMissing) await allocate(pod, container, { numaNodes: null, preferred: false });
      return deviceRunOptions(podDevices.ofContainer(podUID, container.name), logger);
    },
    devices: (podUID, containerName) =>
      Object.fromEntries(podDevices.ofContainer(podUID, containerName).map(({ resource, devices }) => [resource, devices])),
    allocatableDevices: () =>
      Object.fromEntries(
        Array.from(devicesByResource, ([resource, { all, healthy }]) => [resource, [...all.values()].filter(({ id }) => healthy.has(id))]),
      ),
    devicesInUse: (podUID) =>
      podDevices.ofPod(podUID).length === 0 ? {} : Object.fromEntries(Array.from(inUse, ([resource, ids]) => [resource, ids.size])),
    shouldResetExtendedResources: () => !hasCheckpoint,
    resourceHealth: (podUID) => resourceHealth(podUID, podDevices, (resource) => devicesByResource.get(resource)),
    unhealthyReason: () =>
      serverError === undefined ? undefined : `device plugin registration gRPC server failed: ${errorMessage(serverError)}`,
    explain: () => ({
      resources: Array.from(devicesByResource, ([resource, { all, healthy }]) => {
        const { socketPath, stoppedAt } = plugins.get(resource) ?? {};
        return {
          resource,
          ...(socketPath !== undefined && { socketPath }),
          isConnected: stoppedAt === undefined,
          ...(stoppedAt !== undefined && { removedInMs: Math.max(stoppedAt + endpointStopGracePeriodMs - clock.monotonic(), 0) }),
          devices: [...all.values()].map((device) => ({
            ...device,
            canBeAllocated: healthy.has(device.id) && !inUse.get(resource)?.has(device.id),
          })),
        };
      }),
      containers: podDevices.all().map(({ response: _, ...record }: DeviceRecord) => record),
    }),
  };
}

function devicesPerNuma(ids: readonly string[], all: ReadonlyMap<string, PluginDevice> | undefined): DevicesPerNuma {
  const perNode: Record<number, string[]> = {};
  for (const id of ids) {
    const nodes = all?.get(id)?.numaNodes ?? [];
    for (const node of nodes.length === 0 ? [noTopologyNode] : nodes) {
      perNode[node] ??= [];
      perNode[node].push(id);
    }
  }
  return perNode;
}

/** A checkpoint whose text a port keeps. */
function storedCheckpoint(store: NonNullable<DeviceManagerOptions['store']>): CheckpointFile<DeviceCheckpoint> {
  return {
    async load() {
      const text = await store.load();
      return text === undefined ? undefined : decodeDeviceCheckpoint(text);
    },
    save: (checkpoint) => store.save(encodeDeviceCheckpoint(checkpoint)),
  };
}
