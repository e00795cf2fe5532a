import { invalidOption, type Pod, type PodAdmitHandler, type ResourceList, type Startable } from '@nodeagent/api';
import { formatResourceList } from '@nodeagent/api/helpers';
import { nodeReservation } from '@nodeagent/node-status/decisions';
import type { PodResourcesProviders } from '@nodeagent/pod-resources';
import type { AgentParts, Components } from '../components.js';
import { capacityOf } from '../host/capacity.js';
import type { PodAssignments } from '../options/node-agent.js';
import { managersInUse } from '../options/resource-managers.js';
import { type ContainerHooks, createContainerHooks, type RunningManagers } from './resource-managers/container-hooks.js';
import { createCpus } from './resource-managers/cpu-manager.js';
import { createMemory } from './resource-managers/memory-manager.js';
import type { NodeAtStart } from './resource-managers/node-at-start.js';
import { podAssignments } from './resource-managers/pod-assignments.js';
import { podResourcesProviders } from './resource-managers/pod-resources-providers.js';
import { readRunningContainers } from './resource-managers/running-containers.js';
import { createTopology } from './resource-managers/topology-manager.js';

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

/** CPUs, memory and devices of single containers; undefined if no manager is on. The managers' packages are loaded at the start. */
export function resourceManagers(c: Components): AgentParts['resourceManagers'] {
  const { devices } = c;
  const inUse = managersInUse(c.agent.resourceManagers);
  if (inUse === undefined && devices === undefined) return undefined;
  if (inUse?.cpus && !c.settings.cgroupsPerQOS) {
    throw invalidOption(
      'resourceManagers.cpuManagerPolicy',
      'none, unless settings.cgroupsPerQOS is on: run as root with cgroups',
      'static',
    );
  }
  const { signal } = c.ended;
  let running: RunningManagers | undefined;

  async function create(): Promise<RunningManagers> {
    const node = await readNode(c);
    await devices?.load(node);
    const cpus = inUse?.cpus ? await createCpus(c, node) : undefined;
    const memory = inUse?.memory ? await createMemory(c, node) : undefined;
    return { cpus, memory, topology: await createTopology(c, node, { devices, cpus, memory }) };
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

async function readNode(c: Components): Promise<NodeAtStart> {
  const [topology, nodeAllocatableReservation, running] = await Promise.all([
    c.host.machineTopology(),
    readReservation(c),
    readRunningContainers(c.agent.cri.runtime, c.common.logger, c.ended.signal),
  ]);
  return { topology, nodeAllocatableReservation, running };
}

/** What Node Allocatable reserves. */
async function readReservation({ agent, host, eviction }: Components): Promise<ResourceList> {
  const { systemReserved = {}, kubeReserved = {} } = agent.node ?? {};
  const capacity = capacityOf(await host.machineResources());
  return formatResourceList(nodeReservation({ capacity, systemReserved, kubeReserved, evictionReserves: eviction?.reserves ?? [] }));
}
