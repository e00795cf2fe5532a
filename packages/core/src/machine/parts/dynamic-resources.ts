import { join } from '@nodeagent/api/helpers';
import { createDraManager } from '@nodeagent/dra-manager';
import type { AgentParts, Components } from '../../components.js';

/** Prepares the resource claims of pods. Undefined without a cluster, which has the claims, and on hosts without files for the checkpoint. */
export function dynamicResources(c: Components): AgentParts['dynamicResources'] {
  const { nodeName, rootDir, cluster } = c.agent;
  if (cluster?.dynamicResources === undefined || c.host.checkpoints === undefined) return undefined;
  const { resourceClaims, resourceSlices } = cluster.dynamicResources;
  return createDraManager({
    stateFile: join(rootDir, 'dra_manager_state'),
    nodeName,
    claims: resourceClaims,
    resourceSlices,
    activePods: () => c.node.activePods(),
    couldHaveRunningContainers: (uid) => c.podWorkers.couldHaveRunningContainers(uid),
    sourcesReady: c.state.sources.areAllSeen,
    healthChanged: (uids) => c.handler.syncPods([...uids], 'DeviceHealth'),
    ...c.common,
  });
}
