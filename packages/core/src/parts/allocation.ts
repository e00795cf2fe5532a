import { createAllocationManager } from '@nodeagent/allocation';
import type { PodAdmitHandler } from '@nodeagent/api';
import type { AgentParts, Components } from '../components.js';
import { resizeAdmission } from '../options/runtime-capabilities.js';

/** Admits pods and allocates their resources. */
export function allocation(c: Components): AgentParts['allocation'] {
  const { agent, host, state, resizes, common } = c;
  const { cpuManagerPolicy, memoryManagerPolicy } = agent.resourceManagers ?? {};
  const { checkpoints } = host;
  return createAllocationManager({
    activePods: () => c.node.activePods(),
    nodeAllocatable: () => c.node.allocatable(),
    admitHandlers: admitHandlers(c),
    ...(cpuManagerPolicy && { cpuManagerPolicy }),
    ...(memoryManagerPolicy && { memoryManagerPolicy }),
    actuatedPod: (pod) => c.capabilities.resizing.actuatedPod(pod),
    allSourcesReady: state.sources.areAllSeen,
    syncPod: (uid) => c.handler.syncPods([uid], 'Resize'),
    resizeStarted: resizes.begin,
    ...(checkpoints && { store: checkpoints.allocations }),
    ...common,
  });
}

/** In the order in which they are called; the first rejection counts. */
function admitHandlers(c: Components): PodAdmitHandler[] {
  const { agent, eviction, standalone, cluster, nodeShutdown, resourceManagers } = c;
  return [
    ...(eviction ? [eviction] : []),
    ...(agent.admitHandlers ?? []),
    ...(standalone
      ? [standalone.admitHandler]
      : (cluster?.node?.admitHandlers ?? (resourceManagers ? [resourceManagers.admitHandler] : []))),
    nodeShutdown,
    resizeAdmission(() => c.capabilities),
  ];
}
