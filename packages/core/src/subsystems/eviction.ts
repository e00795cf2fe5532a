import { type EvictionReserve, invalidOption, podUid } from '@nodeagent/api';
import { createEvictionManager, type EvictionManager, type EvictionManagerOptions, parseThresholds } from '@nodeagent/eviction';
import { evictionReserves } from '@nodeagent/eviction/decisions';
import type { AgentEviction } from '../options/agent-options.js';

/** The parts of the agent that eviction uses. */
export interface AgentEvictionContext
  extends Pick<
    EvictionManagerOptions,
    'nodeName' | 'activePods' | 'killPod' | 'fileSystems' | 'clock' | 'recorder' | 'logger' | 'metrics'
  > {
  /** Where the options name no other. */
  summary: EvictionManagerOptions['summary'] | undefined;
  shouldPodBeFinished(uid: string): boolean;
  /** Removes the dead containers of all pods. */
  deleteAllUnusedContainers(): Promise<void>;
  /** Removes all images that nothing uses. */
  deleteUnusedImages(signal: AbortSignal): Promise<unknown>;
}

/** The eviction manager, and what it keeps free. */
export interface AgentEvictionManager extends EvictionManager {
  readonly reserves: readonly EvictionReserve[];
}

/**
 * The agent's eviction manager; `reserves` lower what the node has for pods. Undefined if it is switched off, and if nothing was
 * asked for where nobody knows what the node uses. Throws `InvalidOption` if it was asked for there.
 */
export function createAgentEviction(
  agent: AgentEviction | false | undefined,
  {
    shouldPodBeFinished,
    deleteAllUnusedContainers,
    deleteUnusedImages: deleteByImageGc,
    summary: agentSummary,
    ...context
  }: AgentEvictionContext,
): AgentEvictionManager | undefined {
  if (agent === false || (agent === undefined && agentSummary === undefined)) return undefined;
  const { deleteUnusedImages = deleteByImageGc, summary = agentSummary, ...options } = agent ?? {};
  if (summary === undefined) throw invalidOption('eviction.summary', 'a source of summaries, for the agent has no stats', summary);
  const thresholds = options.thresholds ?? parseThresholds(options.settings ?? {});
  const manager = createEvictionManager({
    ...context,
    ...options,
    summary,
    thresholds,
    podCleanedUp: (pod) => shouldPodBeFinished(podUid(pod)),
    reclaim: {
      containers: deleteAllUnusedContainers,
      async images(signal) {
        await deleteUnusedImages(signal);
      },
    },
  });
  return { ...manager, reserves: evictionReserves(thresholds) };
}
