import { podUid } from '@nodeagent/api';
import {
  createEvictionManager,
  type EvictionManager,
  type EvictionManagerOptions,
  isHardThreshold,
  parseThresholds,
  type Threshold,
} from '@nodeagent/eviction';

/** What the agent's eviction works with; the rest the agent knows. */
export interface AgentEviction extends Pick<EvictionManagerOptions, 'summary' | 'settings' | 'thresholds' | 'memoryEvents'> {
  /** Which file systems the node has. Default: by the devices of the agent's folder and of those that the runtime names. */
  fileSystems?: EvictionManagerOptions['fileSystems'];
  /** Removes all images that nothing uses. Default: the agent's image garbage collection. */
  deleteUnusedImages?(signal: AbortSignal): Promise<void>;
}

/** The parts of the agent that eviction uses. */
export interface AgentEvictionContext
  extends Pick<
    EvictionManagerOptions,
    'nodeName' | 'activePods' | 'killPod' | 'fileSystems' | 'clock' | 'recorder' | 'logger' | 'metrics'
  > {
  shouldPodBeFinished(uid: string): boolean;
  /** Removes the dead containers of all pods. */
  deleteAllUnusedContainers(): Promise<void>;
  /** Removes all images that nothing uses. */
  deleteUnusedImages(signal: AbortSignal): Promise<unknown>;
}

/** The agent's eviction manager; `hardThresholds` lower what the node has for pods. */
export function createAgentEviction(
  options: AgentEviction,
  { shouldPodBeFinished, deleteAllUnusedContainers, deleteUnusedImages: deleteByImageGc, ...context }: AgentEvictionContext,
): EvictionManager & { readonly hardThresholds: readonly Threshold[] } {
  const { deleteUnusedImages = deleteByImageGc, ...evictionOptions } = options;
  const thresholds = options.thresholds ?? parseThresholds(options.settings ?? {});
  const manager = createEvictionManager({
    ...context,
    ...evictionOptions,
    thresholds,
    podCleanedUp: (pod) => shouldPodBeFinished(podUid(pod)),
    reclaim: {
      containers: deleteAllUnusedContainers,
      async images(signal) {
        await deleteUnusedImages(signal);
      },
    },
  });
  return { ...manager, hardThresholds: thresholds.filter(isHardThreshold) };
}
