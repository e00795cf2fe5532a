import { podUid } from '@nodeagent/api/helpers';
import type { CpuManager } from '@nodeagent/cpu-manager';
import type { MemoryManager } from '@nodeagent/memory-manager';
import type { ContainerLifecycle, RuntimeManagerOptions } from '@nodeagent/runtime-manager';
import type { TopologyManager } from '@nodeagent/topology-manager';
import type { AgentDevices } from '../devices.js';

/** The managers of a running agent. */
export interface RunningManagers {
  cpus: CpuManager | undefined;
  memory: MemoryManager | undefined;
  topology: TopologyManager;
}

/** What the resource managers add to the options of the runtime manager. */
export interface ContainerHooks extends Pick<RuntimeManagerOptions, 'deviceOptions'> {
  containerLifecycle: Required<ContainerLifecycle>;
  hasExclusiveCpus: NonNullable<RuntimeManagerOptions['hasExclusiveCpus']>;
}

/** The hooks of the managers; without effect until these run. */
export function createContainerHooks(
  running: () => RunningManagers | undefined,
  devices: Pick<AgentDevices, 'deviceOptions'> | undefined,
): ContainerHooks {
  return {
    containerLifecycle: {
      async preCreate(pod, { name }) {
        const cpus = running()?.cpus?.getCpuAffinity(podUid(pod), name);
        const numaNodes = running()?.memory?.memoryNumaNodes(podUid(pod), name);
        return {
          ...(cpus && !cpus.isEmpty && { cpusetCpus: cpus.toString() }),
          ...(numaNodes && { cpusetMems: numaNodes.join(',') }),
        };
      },
      async preStart(pod, container, containerId) {
        const managers = running();
        managers?.cpus?.addContainer(podUid(pod), container.name);
        managers?.memory?.addContainer(pod, container);
        managers?.topology.addContainer(podUid(pod), container.name, containerId);
      },
      async postStop(containerId) {
        running()?.topology.removeContainer(containerId);
      },
    },
    ...(devices && { deviceOptions: devices.deviceOptions }),
    hasExclusiveCpus: (pod, { name }) => running()?.cpus?.getExclusiveCpus(podUid(pod), name).isEmpty === false,
  };
}

/** The hooks of the managers, then those of the agent's options, whose resources take precedence. */
export function combineHooks(
  managers: ContainerHooks | undefined,
  given: Pick<RuntimeManagerOptions, keyof ContainerHooks> = {},
): Pick<RuntimeManagerOptions, keyof ContainerHooks> {
  if (managers === undefined) return given;
  const { containerLifecycle: own } = managers;
  const { containerLifecycle: other } = given;
  return {
    ...managers,
    ...given,
    containerLifecycle: {
      preCreate: async (pod, container) => ({ ...(await own.preCreate(pod, container)), ...(await other?.preCreate?.(pod, container)) }),
      async preStart(pod, container, containerId) {
        await own.preStart(pod, container, containerId);
        await other?.preStart?.(pod, container, containerId);
      },
      async postStop(containerId) {
        await own.postStop(containerId);
        await other?.postStop?.(containerId);
      },
    },
    hasExclusiveCpus: (pod, container) => managers.hasExclusiveCpus(pod, container) || (given.hasExclusiveCpus?.(pod, container) ?? false),
  };
}
