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
  /** Used if the options have none. */
  summary: EvictionManagerOptions['summary'] | undefined;
  shouldPodBeFinished(uid: string): boolean;
  /** Removes the dead containers of all pods. */
  deleteAllUnusedContainers(): Promise<void>;
  /** Removes all unused images. */
  deleteUnusedImages(signal: AbortSignal): Promise<unknown>;
}

/** The eviction manager with its hard thresholds. */
export interface AgentEvictionManager extends EvictionManager {
  readonly reserves: readonly EvictionReserve[];
}

/**
 * Creates the agent's eviction manager; its `reserves` reduce allocatable. Undefined if eviction is off, or by default if the agent has no
 * stats. Throws `InvalidOption` if the options configure eviction but the agent has no stats.
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
  if (summary === undefined) throw invalidOption('eviction.summary', 'set, because the agent has no stats', summary);
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
