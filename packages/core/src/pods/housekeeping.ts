import {
  isMirrorPodOf,
  isStaticPod,
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
import type { ContainerManager } from '@nodeagent/container-manager';
import type { PodDirs } from '../host/pod-dirs.js';

export interface HousekeepingOptions {
  /** Every desired pod, the mirror pods, and the full names of mirror pods without a static pod. */
  pods(): { pods: Pod[]; mirrorPods: Pod[]; orphanedMirrorPodFullNames: string[] };
  /** Whether every source has delivered its list; until then nothing may be removed. */
  allSourcesReady(): boolean;
  podWorkers: Pick<PodWorkers, 'updatePod' | 'syncKnownPods' | 'isPodTerminationRequested' | 'isPodForMirrorPodTerminatingByFullName'>;
  runtime: Pick<Runtime, 'getPods' | 'collectBackOff'>;
  /** UIDs of the pods that ran in the runtime's last listing; undefined without a recent one. */
  observedRunning(): Iterable<string> | undefined;
  /** Whether the runtime still has containers or sandboxes of the pod, running or not. */
  isObserved(podUid: string): boolean;
  /** Schedules the removal of dead containers of unknown pods. */
  requestCollection(): void;
  statusManager: Pick<StatusManager, 'getPodStatus' | 'removeOrphanedStatuses'>;
  podDirs: Pick<PodDirs, 'list' | 'remove'>;
  probeManager?: Pick<ProbeManager, 'cleanupPods'>;
  volumeManager: Pick<VolumeManager, 'hasPossiblyMountedVolumesForPod'>;
  /** The cgroups of pods. Default: pods have no separate cgroups. */
  containerManager?: Pick<ContainerManager, 'isEnabled' | 'pods'> | undefined;
  /** Deletes a mirror pod without a static pod; must not block or throw. */
  deleteMirrorPod?(mirrorPod: Pod): void;
  /** Replaces the outdated mirror pod of a static pod; must not block or throw. */
  reconcileMirrorPod?(pod: Pod): void;
  /** Called with the pods that are desired, have a worker, run, or have a directory; the callee forgets all others. */
  retain(known: ReadonlySet<string>): void;
  logger: Logger;
}

/**
 * Reconciles desired pods, pod workers and running pods: forgets finished workers, removes directories and cgroups of removed pods, restarts pods that
 * came back under the UID of a finished one, and terminates running pods that are not desired. The kubelet's HandlePodCleanups, except that
 * it lists the runtime's pods only if some are unaccounted for: docs/decisions/0009-list-the-runtime-in-housekeeping-only-when-needed.md. Resolves to true if no
 * cleanup is pending.
 */
export function createHousekeeping(options: HousekeepingOptions): () => Promise<boolean> {
  const { pods, allSourcesReady, podWorkers, runtime, observedRunning, isObserved, requestCollection } = options;
  const { statusManager, podDirs, probeManager, volumeManager, containerManager, deleteMirrorPod, reconcileMirrorPod, retain, logger } =
    options;
  /** Pods that were added again while they terminated, and restart after their cleanup. */
  const returning = new Set<string>();
  /** UIDs of pods that have a cgroup here and are not known: another agent may run them. */
  let foreign: ReadonlySet<string> = new Set();
  let isFirst = true;

  const endUnknown = (running: readonly RuntimePod[], known: ReadonlyMap<string, KnownPodWorker>) => {
    for (const runningPod of unknownRunningPods(running, known)) {
      logger.info({ pod: podKey(runningPod), podUID: runningPod.uid }, 'terminating a running pod that is not desired');
      podWorkers.updatePod({ type: 'kill', runningPod, killOptions: { gracePeriodOverride: 1 } });
    }
  };

  return async () => {
    if (!allSourcesReady()) return false;
    // From the first round on, a pod without a worker loses its volumes. A pod of the previous run that was not admitted again gets a
    // worker here, which terminates it first.
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
    const cgroupUids = containerManager?.isEnabled ? Array.from((await containerManager.pods.list()).keys()) : [];
    // Listed after the workers were read: otherwise a pod that terminated in between would be taken for an orphan.
    const isAccounted = !hasUnaccounted(accounted, observedRunning(), [...dirs, ...cgroupUids.filter((uid) => !foreign.has(uid))]);
    const running = before ?? (isAccounted ? [] : await runtime.getPods(false));

    probeManager?.cleanupPods(possiblyRunning(known));
    for (const uid of returning) desiredUids.delete(uid);
    statusManager.removeOrphanedStatuses(desiredUids);
    const kept = new Set([...accounted, ...running.map(({ uid }) => uid)]);
    const isKnown = (uid: string) => accounted.has(uid) || dirs.includes(uid) || isObserved(uid);
    const mayRun = new Set([...possiblyRunning(known), ...running.map(({ uid }) => uid)]);
    const leftCgroups = await removeOrphanedCgroups(cgroupUids, mayRun, isKnown);
    const left = await removeOrphanedDirs(dirs, kept, new Set(leftCgroups));
    foreign = new Set(leftCgroups.filter((uid) => !kept.has(uid) && !isKnown(uid)));
    retain(new Set([...kept, ...left]));

    const outdated = staticPodsWithOutdatedMirror(desired, mirrorPods, known);
    for (const pod of outdated) reconcileMirrorPod?.(pod);
    const orphanedMirrors = new Set(orphanedMirrorPodFullNames);
    for (const mirrorPod of mirrorPods) {
      const fullName = podFullName(mirrorPod);
      if (!orphanedMirrors.has(fullName) || podWorkers.isPodForMirrorPodTerminatingByFullName(fullName)) continue;
      deleteMirrorPod?.(mirrorPod);
    }

    const leftovers = new Set([...returning].filter(isObserved));
    if (leftovers.size > 0) requestCollection();
    for (const pod of podsToRestart(desired, known, leftovers, (uid) => statusManager.getPodStatus(uid))) {
      returning.delete(podUid(pod));
      logger.info({ pod: podKey(pod) }, 'pod was added again after it terminated, restarting it');
      podWorkers.updatePod({ type: 'create', pod });
    }
    if (!before) endUnknown(running, known);
    runtime.collectBackOff();
    const hasOrphanedMirrors = deleteMirrorPod !== undefined && orphanedMirrors.size > 0;
    const hasOutdatedMirrors = reconcileMirrorPod !== undefined && outdated.length > 0;
    return isAccounted && returning.size === 0 && !hasOrphanedMirrors && !hasOutdatedMirrors;
  };

  /** A pod that starts again gets its cgroup only after this. Returns the UIDs of the pods that still have a cgroup. */
  async function removeOrphanedCgroups(
    uids: readonly string[],
    mayRun: ReadonlySet<string>,
    isKnown: (uid: string) => boolean,
  ): Promise<readonly string[]> {
    if (containerManager === undefined || uids.every((uid) => mayRun.has(uid))) return uids;
    await containerManager.pods.removeOrphans(mayRun, (uid) => volumeManager.hasPossiblyMountedVolumesForPod(uid), isKnown);
    return Array.from((await containerManager.pods.list()).keys());
  }

  /**
   * Returns the UIDs of removed pods that still have a directory. A pod keeps it as long as its cgroup: after a restart of the agent it shows whose
   * cgroup that is.
   */
  async function removeOrphanedDirs(
    uids: readonly string[],
    kept: ReadonlySet<string>,
    haveCgroup: ReadonlySet<string>,
  ): Promise<string[]> {
    const left: string[] = [];
    for (const uid of uids) {
      if (kept.has(uid)) continue;
      try {
        const hasVolumes = volumeManager.hasPossiblyMountedVolumesForPod(uid);
        if (hasVolumes || !haveCgroup.has(uid)) {
          if (!hasVolumes && (await podDirs.remove(uid))) continue;
          logger.warn({ podUID: uid }, 'orphaned pod directory still contains volumes');
        }
      } catch (error) {
        logger.warn({ podUID: uid, err: error }, 'removing an orphaned pod directory failed');
      }
      left.push(uid);
    }
    return left;
  }
}

/** Rejected and terminated static pods, which no worker syncs any more, whose mirror pod is of a previous version. */
export function staticPodsWithOutdatedMirror(
  desired: readonly Pod[],
  mirrorPods: readonly Pod[],
  known: ReadonlyMap<string, KnownPodWorker>,
): Pod[] {
  const mirrors = new Map(mirrorPods.map((mirrorPod) => [podFullName(mirrorPod), mirrorPod]));
  return desired.filter((pod) => {
    const mirrorPod = isStaticPod(pod) ? mirrors.get(podFullName(pod)) : undefined;
    const { state = 'TerminatedPod' } = known.get(podUid(pod)) ?? {};
    return mirrorPod !== undefined && state === 'TerminatedPod' && !isMirrorPodOf(mirrorPod, pod);
  });
}

/** Whether a running pod, or a pod with a directory or a cgroup, is neither desired nor has a worker; true if the running pods are unknown. */
export function hasUnaccounted(accounted: ReadonlySet<string>, running: Iterable<string> | undefined, left: readonly string[]): boolean {
  return running === undefined || [...running, ...left].some((uid) => !accounted.has(uid));
}

/** Pods whose containers may still run and be probed. */
export function possiblyRunning(known: ReadonlyMap<string, KnownPodWorker>): Set<string> {
  return new Set([...known].filter(([, { state }]) => state !== 'TerminatedPod').map(([uid]) => uid));
}

/** Desired pods without a worker that have not terminated permanently, and whose previous run is cleaned up. */
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

/** Running pods that are neither desired nor have a worker. */
export function unknownRunningPods(running: readonly RuntimePod[], known: ReadonlyMap<string, KnownPodWorker>): RuntimePod[] {
  return running.filter(({ uid }) => !known.has(uid));
}
