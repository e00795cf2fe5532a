import { join } from 'node:path';
import type { MemoryManager } from '@nodeagent/memory-manager';
import type { AgentResourceManagers } from '../../options/resource-managers.js';
import { managerPackages } from './manager-packages.js';
import { namingOptions } from './naming-options.js';
import type { ManagerContext } from './node-at-start.js';

/** The memory manager of an agent. Throws `InvalidOption` naming an option of the agent. */
export async function createAgentMemoryManager(
  { memoryManagerPolicy, reservedMemory }: AgentResourceManagers,
  context: ManagerContext,
): Promise<MemoryManager> {
  const { createMemoryManager } = await managerPackages.memory();
  const { topology, nodeAllocatableReservation, activePods, couldHaveRunningContainers, sourcesReady, logger, metrics } = context;
  const stateFile = join(context.rootDir, 'memory_manager_state');
  return namingOptions({ policy: 'memoryManagerPolicy' }, () =>
    createMemoryManager({
      ...(memoryManagerPolicy && { policy: memoryManagerPolicy }),
      ...(reservedMemory && { reservedMemory }),
      topology,
      nodeAllocatableReservation,
      stateFile,
      store: context.stateFile(stateFile),
      activePods,
      couldHaveRunningContainers,
      sourcesReady,
      logger,
      metrics,
    }),
  );
}
