import { type EvictionReserve, invalidOption } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import { createEvictionManager, type EvictionManager, parseThresholds } from '@nodeagent/eviction';
import { evictionReserves } from '@nodeagent/eviction/decisions';
import type { AgentParts, Components } from '../components.js';

/** The eviction manager with its hard thresholds, which reduce allocatable. */
export interface AgentEvictionManager extends EvictionManager {
  readonly reserves: readonly EvictionReserve[];
}

/**
 * Evicts pods when the node is short of resources. Undefined if eviction is off, or by default if the agent has no stats. Throws
 * `InvalidOption` if the options configure eviction but the agent has no stats.
 */
export function eviction(c: Components): AgentParts['eviction'] {
  const { agent, host, state, stats, common } = c;
  if (agent.eviction === false || (agent.eviction === undefined && stats === undefined)) return undefined;
  const { deleteUnusedImages, summary = stats, ...options } = agent.eviction ?? {};
  if (summary === undefined) throw invalidOption('eviction.summary', 'set, because the agent has no stats', summary);
  const thresholds = options.thresholds ?? parseThresholds(options.settings ?? {});
  const { fileSystems } = host;
  const manager = createEvictionManager({
    ...common,
    ...(fileSystems && { fileSystems }),
    ...options,
    nodeName: agent.nodeName,
    summary,
    thresholds,
    activePods: () => c.node.activePods().map((pod) => c.allocation.updatePodFromAllocation(pod)),
    killPod: (pod, kill) => c.podWorkers.killPodNow(pod, kill),
    podCleanedUp: (pod) => c.podWorkers.shouldPodBeFinished(podUid(pod)),
    reclaim: {
      containers: () => c.capabilities.reclaiming.deleteAllUnusedContainers(state.sources.areAllSeen()),
      async images(signal) {
        await (deleteUnusedImages ? deleteUnusedImages(signal) : c.imageGc.deleteUnusedImages(signal));
      },
    },
  });
  return Object.assign(manager, { reserves: evictionReserves(thresholds) });
}
