import {
  errorMessage,
  isTerminalPhase,
  type KnownPodWorker,
  type Logger,
  type Pod,
  type PodStatus,
  type PodWorkers,
  type ProbeManager,
  podFullName,
  podUid,
  type Runtime,
  type RuntimePod,
  type StatusManager,
} from '@nodeagent/api';
import type { PodDirs } from './pod-dirs.js';

export interface HousekeepingOptions {
  /** Every pod that shall run, without mirror pods. */
  desiredPods(): Pod[];
  /** Whether every source has delivered its list: before that nothing may be removed. */
  allSourcesReady(): boolean;
  podWorkers: Pick<PodWorkers, 'updatePod' | 'syncKnownPods' | 'isPodKnownTerminated' | 'isPodTerminationRequested'>;
  runtime: Pick<Runtime, 'getPods' | 'collectBackOff'>;
  statusManager: Pick<StatusManager, 'getPodStatus' | 'removeOrphanedStatuses'>;
  podDirs: Pick<PodDirs, 'list' | 'remove'>;
  probeManager?: Pick<ProbeManager, 'cleanupPods'>;
  /** Told which pods are still known in any way, to forget the rest. */
  retain(known: ReadonlySet<string>): void;
  logger: Logger;
}

/**
 * Brings what shall run, what is worked on and what really runs together: forgets finished pods, removes what they left, restarts
 * pods that came back under a name that had ended, and ends what runs although nobody wants it. The kubelet's HandlePodCleanups.
 */
export function createHousekeeping(options: HousekeepingOptions): () => Promise<void> {
  const { desiredPods, allSourcesReady, podWorkers, runtime, statusManager, podDirs, probeManager, retain, logger } = options;

  return async () => {
    if (!allSourcesReady()) return;
    const desired = desiredPods();
    const known = podWorkers.syncKnownPods(desired);
    // Listed after the workers were asked: a pod that ended in between is not taken for a leftover.
    const running = await runtime.getPods(false);

    probeManager?.cleanupPods(possiblyRunning(known));
    const desiredUids = new Set(desired.map(podUid));
    statusManager.removeOrphanedStatuses(desiredUids);
    const wanted = new Set([...desiredUids, ...known.keys(), ...running.map(({ uid }) => uid)]);
    retain(wanted);
    await removeOrphanedDirs(wanted);

    for (const pod of podsToRestart(desired, known, (uid) => statusManager.getPodStatus(uid))) {
      logger.info({ pod: podFullName(pod) }, 'pod came back after it had ended: starting it anew');
      podWorkers.updatePod({ type: 'create', pod });
    }
    for (const runningPod of unknownRunningPods(running, known)) {
      logger.info({ pod: `${runningPod.name}_${runningPod.namespace}`, uid: runningPod.uid }, 'ending a running pod that nobody wants');
      podWorkers.updatePod({ type: 'kill', runningPod, killOptions: { gracePeriodOverride: 1 } });
    }
    runtime.collectBackOff();
  };

  async function removeOrphanedDirs(wanted: ReadonlySet<string>): Promise<void> {
    for (const uid of await podDirs.list()) {
      if (wanted.has(uid)) continue;
      try {
        if (!(await podDirs.remove(uid))) logger.warn({ uid }, 'the folder of an ended pod still has volumes in it');
      } catch (error) {
        logger.warn({ uid }, `removing the folder of an ended pod: ${errorMessage(error)}`);
      }
    }
  }
}

/** Pods whose containers may still run and be probed. */
export function possiblyRunning(known: ReadonlyMap<string, KnownPodWorker>): Set<string> {
  return new Set([...known].filter(([, { state }]) => state !== 'TerminatedPod').map(([uid]) => uid));
}

/** Desired pods that no worker has and that have not ended for good: they were finished, forgotten and wanted again. */
export function podsToRestart(
  desired: readonly Pod[],
  known: ReadonlyMap<string, KnownPodWorker>,
  status: (uid: string) => PodStatus | undefined,
): Pod[] {
  return desired.filter((pod) => {
    const uid = podUid(pod);
    return !known.has(uid) && !isTerminalPhase(pod.status?.phase) && !isTerminalPhase(status(uid)?.phase);
  });
}

/** Running pods that neither config nor workers know. */
export function unknownRunningPods(running: readonly RuntimePod[], known: ReadonlyMap<string, KnownPodWorker>): RuntimePod[] {
  return running.filter(({ uid }) => !known.has(uid));
}
