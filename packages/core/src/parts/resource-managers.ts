import type { Pod, PodAdmitHandler, ResourceList, Startable } from '@nodeagent/api';
import type { RuntimeService } from '@nodeagent/cri-api';
import type { PodResourcesProviders } from '@nodeagent/pod-resources';
import type { NodeHost } from '../host/node-host.js';
import type { PodAssignments } from '../options/node-agent.js';
import type { AgentResourceManagers, ManagersInUse } from '../options/resource-managers.js';
import type { AgentDevices } from './devices.js';
import { type ContainerHooks, createContainerHooks, type RunningManagers } from './resource-managers/container-hooks.js';
import { createAgentCpuManager } from './resource-managers/cpu-manager.js';
import { createAgentMemoryManager } from './resource-managers/memory-manager.js';
import type { ManagerContext } from './resource-managers/node-at-start.js';
import { podAssignments } from './resource-managers/pod-assignments.js';
import { podResourcesProviders } from './resource-managers/pod-resources-providers.js';
import { readRunningContainers } from './resource-managers/running-containers.js';
import { createAgentTopologyManager } from './resource-managers/topology-manager.js';

/** The device, CPU, memory and topology managers of an agent. */
export interface ResourceManagers extends Startable {
  /**
   * Loads the managers that are on and starts them; must resolve before the first pod is admitted. Rejects with `InvalidOption` naming an
   * option of the agent, or if a state file is corrupt or does not fit the machine.
   */
  start(signal?: AbortSignal): Promise<void>;
  /** Assigns resources to the containers of a pod; called between the handlers for sysctls and for predicates. */
  admitHandler: PodAdmitHandler;
  hooks: ContainerHooks;
  /** What the pod resources API reports; empty before the start. */
  podResources(): PodResourcesProviders;
  /** What the managers assigned to a pod, and why. Undefined if nothing was assigned. */
  assignments(pod: Pod): PodAssignments | undefined;
}

/** Options of {@link createResourceManagers}. */
export interface ResourceManagersOptions extends Omit<ManagerContext, 'topology' | 'running' | 'nodeAllocatableReservation'> {
  options: AgentResourceManagers;
  inUse: ManagersInUse;
  /** Undefined: the agent runs no device plugins. */
  devices: AgentDevices | undefined;
  machineTopology: NodeHost['machineTopology'];
  nodeAllocatableReservation(): Promise<ResourceList>;
  runtime: Pick<RuntimeService, 'listContainers' | 'updateContainerResources'>;
  /** Aborted when the agent stops. */
  signal: AbortSignal;
}

/** Creates the {@link ResourceManagers}. Their packages are loaded at the start. */
export function createResourceManagers({
  options,
  inUse,
  devices,
  machineTopology,
  nodeAllocatableReservation,
  signal,
  ...ports
}: ResourceManagersOptions): ResourceManagers {
  let running: RunningManagers | undefined;

  async function create(): Promise<RunningManagers> {
    const [topology, reservation, containers] = await Promise.all([
      machineTopology(),
      nodeAllocatableReservation(),
      readRunningContainers(ports.runtime, ports.logger, signal),
    ]);
    const context: ManagerContext = { ...ports, topology, nodeAllocatableReservation: reservation, running: containers };
    await devices?.load(context);
    const cpus = inUse.cpus ? await createAgentCpuManager(options, context) : undefined;
    const memory = inUse.memory ? await createAgentMemoryManager(options, context) : undefined;
    return { cpus, memory, topology: await createAgentTopologyManager(options, { devices, cpus, memory }, context) };
  }

  return {
    async start() {
      const managers = running ?? (await create());
      await managers.cpus?.start(signal);
      await managers.memory?.start(signal);
      await devices?.start(signal);
      running = managers;
    },
    async stop() {
      await Promise.all([devices?.stop(), running?.cpus?.stop(), running?.memory?.stop()]);
    },
    admitHandler: { admit: (attributes) => running?.topology.admit(attributes) ?? { admit: true } },
    hooks: createContainerHooks(() => running, devices),
    podResources: () => podResourcesProviders(running, devices?.manager),
    assignments: (pod) => running && podAssignments(pod, running, devices?.manager),
  };
}
