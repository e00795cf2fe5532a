import {
  type Clock,
  type Container,
  type Logger,
  type MachineTopology,
  type Metrics,
  NodeAgentError,
  type Pod,
  type PodAdmitHandler,
  type Startable,
  type TopologyHintProvider,
} from '@nodeagent/api';
import type { RuntimeService } from '@nodeagent/cri-api';
import type { DeviceManager, DevicePluginRegistration, DeviceRunOptions, ResourceHealth } from '@nodeagent/device-manager';
import type { NodeDevices } from '@nodeagent/node-status';
import type { TopologyManager } from '@nodeagent/topology-manager';
import { coreErrorCodes } from '../errors.js';

export interface AgentDevicesOptions {
  /** Folder of `kubelet.sock`, the plugins' sockets and the checkpoint. */
  pluginDir: string;
  /** The NUMA nodes of the machine; called at the start. */
  topology(): Promise<Pick<MachineTopology, 'numaNodes'>>;
  /** Lists the containers that are running when the agent starts. */
  runtime: Pick<RuntimeService, 'listContainers' | 'listPodSandbox'>;
  activePods(): readonly Pod[];
  sourcesReady(): boolean;
  /** Called with the UIDs of pods whose devices changed their health. */
  healthChanged(podUIDs: readonly string[]): void;
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
}

/** The device plugins of an agent. Before the start there are no devices. */
export interface AgentDevices extends Startable, TopologyHintProvider, NodeDevices {
  /** Allocates devices to the containers of a pod. */
  admitHandler: PodAdmitHandler;
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
  const { topology, runtime, sourcesReady, logger, ...ports } = options;
  let manager: DeviceManager | undefined;
  let topologyManager: TopologyManager | undefined;
  let running: ReadonlySet<string> | undefined;
  const removed = new Set<string>();

  function started(): DeviceManager {
    if (manager === undefined) throw new NodeAgentError(coreErrorCodes.notStarted, 'the device manager has not started');
    return manager;
  }

  async function createManager(): Promise<DeviceManager> {
    const { createDeviceManager } = await import('@nodeagent/device-manager');
    const wasRunning = (podUID: string, containerName: string) => running?.has(containerKey(podUID, containerName)) ?? false;
    return createDeviceManager({ ...ports, topology: await topology(), sourcesReady, wasRunning, logger });
  }

  /** Before the first admission: no container of this run is running yet. */
  async function readRunning(): Promise<void> {
    try {
      running ??= await runningContainers(runtime);
    } catch (error) {
      logger.warn({ err: error }, 'cannot list the running containers; the next admission retries');
    }
  }

  const devices: AgentDevices = {
    get manager() {
      return manager;
    },
    async start(signal) {
      manager ??= await createManager();
      const { createTopologyManager } = await import('@nodeagent/topology-manager');
      topologyManager ??= createTopologyManager({ topology: await topology(), providers: { devices }, clock: ports.clock, logger, metrics: ports.metrics });
      await manager.start(signal);
    },
    admitHandler: { admit: async (attributes) => topologyManager?.admit(attributes) ?? { admit: true } },
    stop: async () => manager?.stop(),
    registration: {
      validate: (...plugin) => started().registration.validate(...plugin),
      register: (...plugin) => started().registration.register(...plugin),
      deregister: (...plugin) => started().registration.deregister(...plugin),
    },
    getTopologyHints: (pod, container) => started().getTopologyHints(pod, container),
    getPodTopologyHints: (pod) => started().getPodTopologyHints(pod),
    async allocate(pod, container, hint) {
      if (!sourcesReady()) await readRunning();
      await started().allocate(pod, container, hint);
    },
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
  return devices;
}

const quantities = (counts: Record<string, number>) =>
  Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, `${count}`]));

const containerKey = (podUID: string, containerName: string) => `${podUID}/${containerName}`;

/** The running containers whose sandboxes the runtime lists. */
async function runningContainers(runtime: AgentDevicesOptions['runtime']): Promise<Set<string>> {
  const [{ items }, { containers }] = await Promise.all([
    runtime.listPodSandbox({}),
    runtime.listContainers({ filter: { state: { state: 'CONTAINER_RUNNING' } } }),
  ]);
  const uids = new Map(items.map(({ id, metadata }) => [id, metadata?.uid]));
  const keys = containers.map(({ podSandboxId, metadata }) => {
    const uid = uids.get(podSandboxId);
    return uid === undefined || metadata === undefined ? [] : [containerKey(uid, metadata.name)];
  });
  return new Set(keys.flat());
}
