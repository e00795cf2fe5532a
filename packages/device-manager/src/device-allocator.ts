import {
  type Clock,
  type Container,
  errorMessage,
  NodeAgentError,
  type Pod,
  type TopologyHint,
  type TopologyHintProvider,
  type TopologyHints,
} from '@nodeagent/api';
import { isSidecar, podUid } from '@nodeagent/api/helpers';
import { chooseDevices } from './choose-devices.js';
import { containerDeviceRequests, podDeviceRequests } from './device-requests.js';
import type { DeviceTable } from './device-table.js';
import { deviceManagerErrorCodes } from './errors.js';
import type { DeviceMetrics } from './metrics.js';
import type { ResolvedOptions } from './options.js';
import type { PluginCalls } from './plugin-calls.js';
import { type DeviceRecord, devicesPerNuma, idsOf } from './pod-devices.js';
import type { SavedDevices } from './saved-devices.js';

/** Gives devices to containers, and releases those of pods that are no longer active. */
export interface DeviceAllocator extends TopologyHintProvider {
  /** The container's records; calls PreStartContainer of the plugins that require it. Allocates the devices of an active pod if they are missing. */
  recordsToStart(pod: Pod, container: Container, signal?: AbortSignal): Promise<DeviceRecord[]>;
}

export interface DeviceAllocatorOptions
  extends Pick<ResolvedOptions, 'activePods' | 'couldHaveRunningContainers' | 'sourcesReady' | 'wasRunning'> {
  table: DeviceTable;
  saved: Pick<SavedDevices, 'save' | 'saved' | 'error'>;
  calls: PluginCalls;
  clock: Pick<Clock, 'monotonic'>;
  metrics: DeviceMetrics;
}

export function createDeviceAllocator(options: DeviceAllocatorOptions): DeviceAllocator {
  return new Allocator(options);
}

/** Allocates one at a time: a container that starts may need its devices again while a pod is admitted. */
class Allocator implements DeviceAllocator {
  readonly #options: DeviceAllocatorOptions;
  readonly #table: DeviceTable;
  /** Devices of finished init containers, of the pod that is being admitted. */
  #reusable = { podUID: '', ids: new Map<string, Set<string>>() };
  #allocating: Promise<unknown> = Promise.resolve();

  constructor(options: DeviceAllocatorOptions) {
    this.#options = options;
    this.#table = options.table;
  }

  getTopologyHints(pod: Pod, container: Container): TopologyHints {
    this.#releaseInactive(pod);
    const podUID = podUid(pod);
    const hints = (resource: string, request: number) => {
      const held = this.#table.podDevices.ids(podUID, container.name, resource);
      return this.#table.hints(resource, request, held, this.#reusableIds(podUID, resource));
    };
    return Object.fromEntries(Array.from(this.#requests(pod, container), ([name, request]) => [name, hints(name, request)]));
  }

  getPodTopologyHints(pod: Pod): TopologyHints {
    this.#releaseInactive(pod);
    const hints = (resource: string, request: number) => {
      const held = this.#table.podDevices.ids(podUid(pod), undefined, resource);
      return this.#table.hints(resource, request, held, new Set());
    };
    const requests = podDeviceRequests(pod, this.#table.isDevice);
    return Object.fromEntries(Array.from(requests, ([name, request]) => [name, hints(name, request)]));
  }

  allocate(pod: Pod, container: Container, hint: TopologyHint): Promise<void> {
    const allocation = this.#allocating.then(() => this.#allocateContainer(pod, container, hint));
    this.#allocating = allocation.catch(() => {});
    return allocation;
  }

  async recordsToStart(pod: Pod, container: Container, signal?: AbortSignal): Promise<DeviceRecord[]> {
    const podUID = podUid(pod);
    const { podDevices } = this.#table;
    let isMissing = false;
    for (const [resource, required] of this.#requests(pod, container)) {
      if (required === 0) continue;
      await this.#preStart(podUID, container.name, resource, signal);
      const isActive = this.#options.activePods().some((each) => podUid(each) === podUID);
      if (isActive && podDevices.ids(podUID, container.name, resource) === undefined) isMissing = true;
    }
    if (isMissing) await this.allocate(pod, container, { numaNodes: null, preferred: false });
    return podDevices.ofContainer(podUID, container.name);
  }

  #requests(pod: Pod, container: Container): Map<string, number> {
    return containerDeviceRequests(pod, container, this.#table.isDevice);
  }

  #reusableIds(podUID: string, resource: string): ReadonlySet<string> {
    return (this.#reusable.podUID === podUID ? this.#reusable.ids.get(resource) : undefined) ?? new Set();
  }

  #releaseInactive(admitted: Pod): void {
    const { sourcesReady, activePods, couldHaveRunningContainers } = this.#options;
    if (!sourcesReady()) return;
    const active = new Set([...activePods(), admitted].map(podUid));
    const hasReleased = this.#table.podDevices.retain((podUID) => active.has(podUID) || couldHaveRunningContainers(podUID));
    if (hasReleased) this.#table.refreshInUse();
  }

  async #allocateContainer(pod: Pod, container: Container, hint: TopologyHint): Promise<void> {
    const podUID = podUid(pod);
    if (this.#reusable.podUID !== podUID) this.#reusable = { podUID, ids: new Map() };
    const requests = this.#requests(pod, container);
    if (requests.size > 0) this.#releaseInactive(pod);
    const { saved } = this.#options;
    let hasChanged = false;
    try {
      for (const [resource, required] of requests) {
        if (await this.#allocateResource(pod, container, resource, required, hint)) hasChanged = true;
      }
    } finally {
      if (hasChanged) saved.save();
    }
    await saved.saved();
    // The next agent would give the devices to another container.
    if (hasChanged && saved.error !== undefined) {
      const message = `failed to write the checkpoint of the device manager: ${errorMessage(saved.error)}`;
      throw new NodeAgentError(deviceManagerErrorCodes.allocationFailed, message, { retryable: true, cause: saved.error });
    }
    this.#noteReusable(pod, container);
  }

  /** False if the container needs no more devices. */
  async #allocateResource(pod: Pod, container: Container, resource: string, required: number, hint: TopologyHint): Promise<boolean> {
    const { calls, sourcesReady, wasRunning } = this.#options;
    const { podDevices, resources, inUse } = this.#table;
    const [podUID, containerName] = [podUid(pod), container.name];
    const { ids } = await chooseDevices({
      podUID,
      containerName,
      resource,
      required,
      devices: resources.get(resource),
      held: podDevices.ids(podUID, containerName, resource),
      inUse: inUse.get(resource) ?? new Set(),
      reusable: this.#reusableIds(podUID, resource),
      hintNodes: hint.numaNodes,
      keepsDevices: !sourcesReady() && wasRunning(podUID, containerName),
      prefer: (available, mustInclude, size) => calls.preferredAllocation(resource, available, mustInclude, size),
    });
    if (ids.length === 0) return false;
    // In use from here on: the plugin may answer late, and other containers must not get them meanwhile.
    this.#table.reserve(resource, ids);
    const all = resources.get(resource)?.all;
    try {
      const response = await this.#timedAllocate(resource, ids);
      podDevices.set({ podUID, containerName, resource, devices: devicesPerNuma(ids, all), response });
    } finally {
      this.#table.refreshInUse();
    }
    return true;
  }

  #timedAllocate(resource: string, ids: readonly string[]) {
    const { calls, clock, metrics } = this.#options;
    const started = clock.monotonic();
    return calls.allocate(resource, ids).finally(() => {
      metrics.allocationSeconds.observe((clock.monotonic() - started) / 1000, { resource_name: resource });
    });
  }

  /** Later containers of the pod reuse the devices of an init container that ends before they start. */
  #noteReusable(pod: Pod, container: Container): void {
    const isPlainInit = pod.spec?.initContainers?.some((each) => each.name === container.name && !isSidecar(each)) ?? false;
    for (const record of this.#table.podDevices.ofContainer(podUid(pod), container.name)) {
      const ids = new Set(this.#reusable.ids.get(record.resource));
      for (const id of idsOf(record)) isPlainInit ? ids.add(id) : ids.delete(id);
      this.#reusable.ids.set(record.resource, ids);
    }
  }

  async #preStart(podUID: string, containerName: string, resource: string, signal?: AbortSignal): Promise<void> {
    const { calls } = this.#options;
    if (!calls.requiresPreStart(resource)) return;
    const ids = this.#table.podDevices.ids(podUID, containerName, resource);
    if (ids === undefined) {
      const what = `pod ${podUID}, container ${containerName}, resource ${resource}`;
      throw new NodeAgentError(deviceManagerErrorCodes.allocationFailed, `no devices found allocated in local cache for ${what}`);
    }
    await calls.preStartContainer(resource, [...ids], signal);
  }
}
