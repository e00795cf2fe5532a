import {
  isTerminalPhase,
  type KnownPodWorker,
  type Logger,
  type Pod,
  type PodStatus,
  type PodWorkers,
  type ProbeManager,
  podFullName,
  podKey,
  podUid,
  type Runtime,
  type RuntimePod,
  type StatusManager,
  type VolumeManager,
} from '@nodeagent/api';
import type { PodDirs } from '../host/pod-dirs.js';

export interface HousekeepingOptions {
  /** Every pod that shall run, the mirrors of static ones, and the full names of mirrors whose static pods are gone. */
  pods(): { pods: Pod[]; mirrorPods: Pod[]; orphanedMirrorPodFullNames: string[] };
  /** Whether every source has delivered its list: before that nothing may be removed. */
  allSourcesReady(): boolean;
  podWorkers: Pick<PodWorkers, 'updatePod' | 'syncKnownPods' | 'isPodTerminationRequested' | 'isPodForMirrorPodTerminatingByFullName'>;
  runtime: Pick<Runtime, 'getPods' | 'collectBackOff'>;
  /** UIDs of the pods that had something running in the runtime's last listing; undefined without a recent one. */
  observedRunning(): Iterable<string> | undefined;
  /** Whether the runtime still has anything of the pod, running or not. */
  isObserved(podUid: string): boolean;
  /** Dead containers of pods that nobody knows can go. */
  collectSoon(): void;
  statusManager: Pick<StatusManager, 'getPodStatus' | 'removeOrphanedStatuses'>;
  podDirs: Pick<PodDirs, 'list' | 'remove'>;
  probeManager?: Pick<ProbeManager, 'cleanupPods'>;
  volumeManager: Pick<VolumeManager, 'hasPossiblyMountedVolumesForPod'>;
  /** Deletes a mirror whose static pod is gone; must not block or throw. */
  deleteMirrorPod?(mirrorPod: Pod): void;
  /** Told which pods are wanted, worked on, running or have files left, to forget the rest. */
  retain(known: ReadonlySet<string>): void;
  logger: Logger;
}

/**
 * Brings what shall run, what is worked on and what really runs together: forgets finished pods, removes what they left, restarts
 * pods that came back under a UID that had ended, and ends what runs although nobody wants it. The kubelet's HandlePodCleanups; but it asks
 * the runtime only about what cannot be accounted for: docs/decisions/0009-list-the-runtime-in-housekeeping-only-when-needed.md. Resolves to true if
 * nothing is left to come back to.
 */
export function createHousekeeping(options: HousekeepingOptions): () => Promise<boolean> {
  const { pods, allSourcesReady, podWorkers, runtime, observedRunning, isObserved, collectSoon } = options;
  const { statusManager, podDirs, probeManager, volumeManager, deleteMirrorPod, retain, logger } = options;
  /** Pods that were wanted again while they ended, and now start anew once nothing is left of their first life. */
  const returning = new Set<string>();
  let isFirst = true;

  const endUnknown = (running: readonly RuntimePod[], known: ReadonlyMap<string, KnownPodWorker>) => {
    for (const runningPod of unknownRunningPods(running, known)) {
      logger.info({ pod: podKey(runningPod), podUID: runningPod.uid }, 'ending a running pod that nobody wants');
      podWorkers.updatePod({ type: 'kill', runningPod, killOptions: { gracePeriodOverride: 1 } });
    }
  };

  return async () => {
    if (!allSourcesReady()) return false;
    // From the first round on a pod without a worker has no right to its volumes: what ran under an agent before and was not admitted
    // again gets one at once, which ends it first.
    const before = isFirst ? await runtime.getPods(false) : undefined;
    isFirst = false;
    const { pods: desired, mirrorPods, orphanedMirrorPodFullNames } = pods();
    const desiredUids = new Set(desired.map(podUid));
    const ending = [...desiredUids].filter((uid) => podWorkers.isPodTerminationRequested(uid));
    const known = podWorkers.syncKnownPods(desired);
    if (before) endUnknown(before, known);
    for (const uid of ending) if (!known.has(uid)) returning.add(uid);
    for (const uid of returning) if (!desiredUids.has(uid)) returning.delete(uid);
    const accounted = new Set([...desiredUids, ...known.keys()]);
    const dirs = await podDirs.list();
    // Listed after the workers were asked: a pod that ended in between is not taken for a leftover.
    const isAccounted = !hasUnaccounted(accounted, observedRunning(), dirs);
    const running = before ?? (isAccounted ? [] : await runtime.getPods(false));

    probeManager?.cleanupPods(possiblyRunning(known));
    for (const uid of returning) desiredUids.delete(uid);
    statusManager.removeOrphanedStatuses(desiredUids);
    const wanted = new Set([...accounted, ...running.map(({ uid }) => uid)]);
    const left = await removeOrphanedDirs(dirs, wanted);
    retain(new Set([...wanted, ...left]));

    const orphanedMirrors = new Set(orphanedMirrorPodFullNames);
    for (const mirrorPod of mirrorPods) {
      const fullName = podFullName(mirrorPod);
      if (!orphanedMirrors.has(fullName) || podWorkers.isPodForMirrorPodTerminatingByFullName(fullName)) continue;
      deleteMirrorPod?.(mirrorPod);
    }

    const leftovers = new Set([...returning].filter(isObserved));
    if (leftovers.size > 0) collectSoon();
    for (const pod of podsToRestart(desired, known, leftovers, (uid) => statusManager.getPodStatus(uid))) {
      returning.delete(podUid(pod));
      logger.info({ pod: podKey(pod) }, 'pod came back after it had ended: starting it anew');
      podWorkers.updatePod({ type: 'create', pod });
    }
    if (!before) endUnknown(running, known);
    runtime.collectBackOff();
    const hasOrphanedMirrors = deleteMirrorPod !== undefined && orphanedMirrors.size > 0;
    return isAccounted && returning.size === 0 && !hasOrphanedMirrors;
  };

  /** Returns the UIDs of unwanted pods that still have a folder. */
  async function removeOrphanedDirs(uids: readonly string[], wanted: ReadonlySet<string>): Promise<string[]> {
    const left: string[] = [];
    for (const uid of uids) {
      if (wanted.has(uid)) continue;
      try {
        if (!volumeManager.hasPossiblyMountedVolumesForPod(uid) && (await podDirs.remove(uid))) continue;
        logger.warn({ podUID: uid }, 'the folder of an ended pod still has volumes in it');
      } catch (error) {
        logger.warn({ podUID: uid, err: error }, 'removing the folder of an ended pod');
      }
      left.push(uid);
    }
    return left;
  }
}

/** Whether something runs or has a folder that is neither wanted nor worked on, as far as is known; true if nothing is known. */
export function hasUnaccounted(accounted: ReadonlySet<string>, running: Iterable<string> | undefined, dirs: readonly string[]): boolean {
  return running === undefined || [...running, ...dirs].some((uid) => !accounted.has(uid));
}

/** Pods whose containers may still run and be probed. */
export function possiblyRunning(known: ReadonlyMap<string, KnownPodWorker>): Set<string> {
  return new Set([...known].filter(([, { state }]) => state !== 'TerminatedPod').map(([uid]) => uid));
}

/** Desired pods that no worker has, that have not ended for good, and of whose former life nothing is left. */
export function podsToRestart(
  desired: readonly Pod[],
  known: ReadonlyMap<string, KnownPodWorker>,
  leftovers: ReadonlySet<string>,
  status: (uid: string) => PodStatus | undefined,
): Pod[] {
  return desired.filter((pod) => {
    const uid = podUid(pod);
    return !known.has(uid) && !leftovers.has(uid) && !isTerminalPhase(pod.status?.phase) && !isTerminalPhase(status(uid)?.phase);
  });
}

/** Running pods that neither config nor workers know. */
export function unknownRunningPods(running: readonly RuntimePod[], known: ReadonlyMap<string, KnownPodWorker>): RuntimePod[] {
  return running.filter(({ uid }) => !known.has(uid));
}
