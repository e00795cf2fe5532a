import { join } from '@nodeagent/api/helpers';
import type { CpuManager } from '@nodeagent/cpu-manager';
import type { Components } from '../../components.js';
import { managerPackages } from './manager-packages.js';
import { namingOptions } from './naming-options.js';
import type { NodeAtStart } from './node-at-start.js';

/** Throws `InvalidOption` naming an option of the agent. */
export async function createCpus(c: Components, { topology, nodeAllocatableReservation, running }: NodeAtStart): Promise<CpuManager> {
  const { agent, host, state, common } = c;
  const { resourceManagers: options = {}, cri } = agent;
  const { cpuManagerPolicy, cpuManagerPolicyOptions, cpuManagerReconcilePeriodMs, reservedSystemCPUs, topologyManagerPolicy } = options;
  const stateFile = join(agent.rootDir, 'cpu_manager_state');
  const { createCpuManager } = await managerPackages.cpus();
  return namingOptions(optionNames, () =>
    createCpuManager({
      ...(cpuManagerPolicy && { policy: cpuManagerPolicy }),
      ...(cpuManagerPolicyOptions && { policyOptions: cpuManagerPolicyOptions }),
      ...(cpuManagerReconcilePeriodMs !== undefined && { reconcilePeriodMs: cpuManagerReconcilePeriodMs }),
      ...(reservedSystemCPUs && { reservedSystemCPUs }),
      ...(options.featureGates && { featureGates: options.featureGates }),
      ...(topologyManagerPolicy && { topologyManagerPolicy }),
      topology,
      nodeAllocatableReservation,
      stateFile,
      store: host.stateFile(stateFile),
      activePods: () => c.node.activePods(),
      couldHaveRunningContainers: (uid) => c.podWorkers.couldHaveRunningContainers(uid),
      podStatus: (uid) => c.statusManager.getPodStatus(uid),
      async updateContainerCpuset(containerId, cpus) {
        await cri.runtime.updateContainerResources({ containerId, linux: { cpusetCpus: cpus.toString() } });
      },
      sourcesReady: state.sources.areAllSeen,
      runningContainers: () => running,
      ...common,
    }),
  );
}

const optionNames = {
  policyOptions: 'cpuManagerPolicyOptions',
  policy: 'cpuManagerPolicy',
  reconcilePeriodMs: 'cpuManagerReconcilePeriodMs',
};
