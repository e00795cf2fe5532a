import { join } from 'node:path';
import type { CpuManager } from '@nodeagent/cpu-manager';
import type { AgentResourceManagers } from '../../options/resource-managers.js';
import { managerPackages } from './manager-packages.js';
import { namingOptions } from './naming-options.js';
import type { ManagerContext } from './node-at-start.js';

/** The CPU manager of an agent. Throws `InvalidOption` naming an option of the agent. */
export async function createAgentCpuManager(options: AgentResourceManagers, context: ManagerContext): Promise<CpuManager> {
  const { createCpuManager } = await managerPackages.cpus();
  const { rootDir, running, runtime, statusManager, ...ports } = context;
  const stateFile = join(rootDir, 'cpu_manager_state');
  const { cpuManagerPolicy, cpuManagerPolicyOptions, cpuManagerReconcilePeriodMs, reservedSystemCPUs, topologyManagerPolicy } = options;
  return namingOptions(optionNames, () =>
    createCpuManager({
      ...(cpuManagerPolicy && { policy: cpuManagerPolicy }),
      ...(cpuManagerPolicyOptions && { policyOptions: cpuManagerPolicyOptions }),
      ...(cpuManagerReconcilePeriodMs !== undefined && { reconcilePeriodMs: cpuManagerReconcilePeriodMs }),
      ...(reservedSystemCPUs && { reservedSystemCPUs }),
      ...(options.featureGates && { featureGates: options.featureGates }),
      ...(topologyManagerPolicy && { topologyManagerPolicy }),
      topology: ports.topology,
      nodeAllocatableReservation: ports.nodeAllocatableReservation,
      stateFile,
      store: ports.stateFile(stateFile),
      activePods: ports.activePods,
      couldHaveRunningContainers: ports.couldHaveRunningContainers,
      podStatus: (uid) => statusManager.getPodStatus(uid),
      async updateContainerCpuset(containerId, cpus) {
        await runtime.updateContainerResources({ containerId, linux: { cpusetCpus: cpus.toString() } });
      },
      sourcesReady: ports.sourcesReady,
      runningContainers: () => running,
      clock: ports.clock,
      logger: ports.logger,
      metrics: ports.metrics,
    }),
  );
}

const optionNames = {
  policyOptions: 'cpuManagerPolicyOptions',
  policy: 'cpuManagerPolicy',
  reconcilePeriodMs: 'cpuManagerReconcilePeriodMs',
};
