import type { Clock, EventRecorder, WritablePodCache } from '@nodeagent/api';
import { createPodCache } from '@nodeagent/pleg';
import { createPodConfig, createPodManager, type PodConfig, type PodManager } from '@nodeagent/pod-sources';
import { createWorkQueue, type WorkQueue } from '@nodeagent/pod-workers';
import { createReasonCache, type ReasonCache } from '@nodeagent/status-manager';
import { type BackOffs, createBackOffs } from './back-offs.js';
import { createSeenSources, type SeenSources } from './seen-sources.js';

/** State that the parts of an agent share. It is created before them, does no I/O and starts nothing. */
export interface AgentState {
  /** The desired pods of all sources. */
  readonly podManager: PodManager;
  /** Merges the lists of the sources. */
  readonly podConfig: PodConfig;
  /** The sources whose pods the sync loop has handled. */
  readonly sources: SeenSources;
  /** The runtime's containers and sandboxes of each pod. */
  readonly podCache: WritablePodCache;
  /** The pods to sync later. */
  readonly workQueue: WorkQueue;
  /** Why containers failed to start. */
  readonly startFailures: ReasonCache;
  readonly backOffs: BackOffs;
  /** By UID, the abort signal of the pod's running sync; absent between syncs. */
  readonly syncSignals: Map<string, AbortSignal>;
}

export function createAgentState({ clock, recorder }: { clock: Clock; recorder: EventRecorder }): AgentState {
  const podConfig = createPodConfig({ clock, recorder });
  return {
    podManager: createPodManager(),
    podConfig,
    sources: createSeenSources(podConfig),
    podCache: createPodCache(),
    workQueue: createWorkQueue({ clock }),
    startFailures: createReasonCache(),
    backOffs: createBackOffs(),
    syncSignals: new Map(),
  };
}
