import type {
  KnownPodWorker,
  Logger,
  Pod,
  PodStatus,
  PodWorkers,
  ProbeManager,
  Runtime,
  RuntimePod,
  StatusManager,
  VolumeManager,
} from '@nodeagent/api';
import { isMirrorPodOf, isStaticPod, isTerminalPhase, podFullName, podKey, podUid } from '@nodeagent/api/helpers';
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
  const housekeeping = new Housekeeping(options);
  return () => housekeeping.run();
}

type KnownPods = ReadonlyMap<string, KnownPodWorker>;

/** UIDs of the pods that a round found. */
interface FoundPods {
  /** Pods that are desired or have a worker. */
  accounted: ReadonlySet<string>;
  /** Pods whose containers may run. */
  mayRun: ReadonlySet<string>;
  /** Accounted and running pods. */
  kept: ReadonlySet<string>;
  dirs: readonly string[];
  cgroups: readonly string[];
}

class Housekeeping {
  readonly #options: HousekeepingOptions;
  /** Pods that were added again while they terminated, and restart after their cleanup. */
  readonly #returning = new Set<string>();
  /** UIDs of pods that have a cgroup here and are not known: another agent may run them. */
  #foreign: ReadonlySet<string> = new Set();
  #isFirst = true;

  constructor(options: HousekeepingOptions) {
    this.#options = options;
  }

  async run(): Promise<boolean> {
    const { pods, allSourcesReady, runtime, observedRunning, podDirs, probeManager, statusManager, containerManager } = this.#options;
    if (!allSourcesReady()) return false;
    // From the first round on, a pod without a worker loses its volumes. A pod of the previous run that was not admitted again gets a
    // worker here, which terminates it first.
    const before = this.#isFirst ? await runtime.getPods(false) : undefined;
    this.#isFirst = false;
    const { pods: desired, mirrorPods, orphanedMirrorPodFullNames } = pods();
    const desiredUids = new Set(desired.map(podUid));
    const known = this.#syncKnownPods(desired, desiredUids);
    if (before) this.#endUnknown(before, known);
    const accounted = new Set([...desiredUids, ...known.keys()]);
    const dirs = await podDirs.list();
    const cgroups = containerManager?.isEnabled ? Array.from((await containerManager.pods.list()).keys()) : [];
    // Listed after the workers were read: otherwise a pod that terminated in between would be taken for an orphan.
    const isAccounted = !hasUnaccounted(accounted, observedRunning(), [...dirs, ...cgroups.filter((uid) => !this.#foreign.has(uid))]);
    const running = before ?? (isAccounted ? [] : await runtime.getPods(false));

    const possible = possiblyRunning(known);
    probeManager?.cleanupPods(possible);
    for (const uid of this.#returning) desiredUids.delete(uid);
    statusManager.removeOrphanedStatuses(desiredUids);
    const runningUids = running.map(({ uid }) => uid);
    const mayRun = new Set([...possible, ...runningUids]);
    await this.#removeOrphans({ accounted, mayRun, kept: new Set([...accounted, ...runningUids]), dirs, cgroups });

    const areMirrorsUpToDate = this.#replaceOutdatedMirrors(staticPodsWithOutdatedMirror(desired, mirrorPods, known));
    const areMirrorsOwned = this.#deleteOrphanedMirrors(mirrorPods, new Set(orphanedMirrorPodFullNames));
    this.#restartReturning(desired, known);
    if (!before) this.#endUnknown(running, known);
    runtime.collectBackOff();
    return isAccounted && this.#returning.size === 0 && areMirrorsOwned && areMirrorsUpToDate;
  }

  /** Passes the desired pods to the workers, and notes the pods that were desired again after their worker ended. */
  #syncKnownPods(desired: readonly Pod[], desiredUids: ReadonlySet<string>): KnownPods {
    const { podWorkers } = this.#options;
    const ending = [...desiredUids].filter((uid) => podWorkers.isPodTerminationRequested(uid));
    const known = podWorkers.syncKnownPods(desired);
    for (const uid of ending) if (!known.has(uid)) this.#returning.add(uid);
    for (const uid of this.#returning) if (!desiredUids.has(uid)) this.#returning.delete(uid);
    return known;
  }

  #endUnknown(running: readonly RuntimePod[], known: KnownPods): void {
    const { podWorkers, logger } = this.#options;
    for (const runningPod of unknownRunningPods(running, known)) {
      logger.info({ pod: podKey(runningPod), podUID: runningPod.uid }, 'terminating a running pod that is not desired');
      podWorkers.updatePod({ type: 'kill', runningPod, killOptions: { gracePeriodOverride: 1 } });
    }
  }

  /** Removes cgroups and directories of removed pods, and makes the agent forget the pods of which nothing is left. */
  async #removeOrphans({ accounted, mayRun, kept, dirs, cgroups }: FoundPods): Promise<void> {
    const { isObserved, retain } = this.#options;
    const isKnown = (uid: string) => accounted.has(uid) || dirs.includes(uid) || isObserved(uid);
    const leftCgroups = await this.#removeOrphanedCgroups(cgroups, mayRun, isKnown);
    const leftDirs = await this.#removeOrphanedDirs(dirs, kept, new Set(leftCgroups));
    this.#foreign = new Set(leftCgroups.filter((uid) => !kept.has(uid) && !isKnown(uid)));
    retain(new Set([...kept, ...leftDirs]));
  }

  /** A pod that starts again gets its cgroup only after this. Returns the UIDs of the pods that still have a cgroup. */
  async #removeOrphanedCgroups(
    uids: readonly string[],
    mayRun: ReadonlySet<string>,
    isKnown: (uid: string) => boolean,
  ): Promise<readonly string[]> {
    const { containerManager, volumeManager } = this.#options;
    if (containerManager === undefined || uids.every((uid) => mayRun.has(uid))) return uids;
    await containerManager.pods.removeOrphans(mayRun, (uid) => volumeManager.hasPossiblyMountedVolumesForPod(uid), isKnown);
    return Array.from((await containerManager.pods.list()).keys());
  }

  /**
   * Returns the UIDs of removed pods that still have a directory. A pod keeps it as long as its cgroup: after a restart of the agent it shows whose
   * cgroup that is.
   */
  async #removeOrphanedDirs(uids: readonly string[], kept: ReadonlySet<string>, haveCgroup: ReadonlySet<string>): Promise<string[]> {
    const { volumeManager, podDirs, logger } = this.#options;
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

  /** Returns whether none is left to replace. */
  #replaceOutdatedMirrors(outdated: readonly Pod[]): boolean {
    const { reconcileMirrorPod } = this.#options;
    for (const pod of outdated) reconcileMirrorPod?.(pod);
    return reconcileMirrorPod === undefined || outdated.length === 0;
  }

  /** Returns whether none is left to delete. */
  #deleteOrphanedMirrors(mirrorPods: readonly Pod[], orphaned: ReadonlySet<string>): boolean {
    const { podWorkers, deleteMirrorPod } = this.#options;
    for (const mirrorPod of mirrorPods) {
      const fullName = podFullName(mirrorPod);
      if (!orphaned.has(fullName) || podWorkers.isPodForMirrorPodTerminatingByFullName(fullName)) continue;
      deleteMirrorPod?.(mirrorPod);
    }
    return deleteMirrorPod === undefined || orphaned.size === 0;
  }

  /** Starts the pods that were added again and whose previous containers and sandboxes are removed. */
  #restartReturning(desired: readonly Pod[], known: KnownPods): void {
    const { podWorkers, isObserved, requestCollection, statusManager, logger } = this.#options;
    const leftovers = new Set([...this.#returning].filter(isObserved));
    if (leftovers.size > 0) requestCollection();
    for (const pod of podsToRestart(desired, known, leftovers, (uid) => statusManager.getPodStatus(uid))) {
      this.#returning.delete(podUid(pod));
      logger.info({ pod: podKey(pod) }, 'pod was added again after it terminated, restarting it');
      podWorkers.updatePod({ type: 'create', pod });
    }
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
