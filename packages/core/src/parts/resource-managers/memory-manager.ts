import { join } from '@nodeagent/api/helpers';
import type { MemoryManager } from '@nodeagent/memory-manager';
import type { Components } from '../../components.js';
import { managerPackages } from './manager-packages.js';
import { namingOptions } from './naming-options.js';
import type { NodeAtStart } from './node-at-start.js';

/** Throws `InvalidOption` naming an option of the agent. */
export async function createMemory(c: Components, { topology, nodeAllocatableReservation }: NodeAtStart): Promise<MemoryManager> {
  const { agent, host, state, common } = c;
  const { memoryManagerPolicy, reservedMemory } = agent.resourceManagers ?? {};
  const stateFile = join(agent.rootDir, 'memory_manager_state');
  const { createMemoryManager } = await managerPackages.memory();
  return namingOptions({ policy: 'memoryManagerPolicy' }, () =>
    createMemoryManager({
      ...(memoryManagerPolicy && { policy: memoryManagerPolicy }),
      reservedMemory,
      topology,
      nodeAllocatableReservation,
      stateFile,
      store: host.stateFile(stateFile),
      activePods: () => c.node.activePods(),
      couldHaveRunningContainers: (uid) => c.podWorkers.couldHaveRunningContainers(uid),
      sourcesReady: state.sources.areAllSeen,
      ...common,
    }),
  );
}
