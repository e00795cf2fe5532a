import {
  type AllocationManager,
  isMirrorPod,
  isStaticPod,
  isTerminalPhase,
  type Logger,
  type Pod,
  type PodAdmitResult,
  type PodConfigUpdate,
  type PodUpdateCause,
  type PodWorkers,
  podFullName,
  podKey,
  podUid,
} from '@nodeagent/api';
import { needToReconcilePodReadiness } from '@nodeagent/status-manager/decisions';
import type { MustWait } from './replaced-static-pods.js';
import type { SyncHandler } from './sync-loop.js';

/** The part of the pod manager that the sync loop needs. */
export interface DesiredPods {
  addPod(pod: Pod): void;
  updatePod(pod: Pod): void;
  removePod(pod: Pod): void;
  podByUid(uid: string): Pod | undefined;
  /** The static pod of a mirror pod, if it exists; for any other pod the pod itself. */
  podAndMirrorPod(pod: Pod): { pod?: Pod; wasMirror: boolean };
}

export interface ConfigHandlerOptions {
  pods: Omit<DesiredPods, 'podByUid'>;
  podWorkers: Pick<PodWorkers, 'updatePod' | 'isPodTerminationRequested' | 'isPodForMirrorPodTerminatingByFullName'>;
  /** Which of the new static pods wait, because a running pod that they replace is terminating. */
  findReplaced(staticPods: readonly Pod[]): Promise<MustWait>;
  /** Admits pods and allocates their resources. */
  allocation: Pick<AllocationManager, 'addPod' | 'pushPendingResize' | 'retryPendingResizes'>;
  /** The pod was rejected and gets no worker. */
  onPodRejected(pod: Pod, refusal: PodAdmitResult & { admit: false }): void;
  /** Called after an update of a source was handled. */
  onSourceSeen(source: string): void;
  allSourcesReady(): boolean;
  /** Called when a source adds a pod, also if it was added before. */
  onPodAdded(pod: Pod): void;
  onPodRemoved(pod: Pod): void;
  now(): number;
  logger: Logger;
}

/** Handles the updates of pod sources. */
export interface ConfigHandler extends Pick<SyncHandler, 'handleConfigUpdate'> {
  /** Adds the static pods whose predecessor has terminated. Resolves to true if none is left. */
  addWaitingPods(): Promise<boolean>;
}

/** Turns source updates into updates of pod workers; new pods are admitted first. */
export function createConfigHandler(options: ConfigHandlerOptions): ConfigHandler {
  const {
    pods,
    podWorkers,
    findReplaced,
    allocation,
    onPodRejected,
    onPodAdded,
    onPodRemoved,
    onSourceSeen,
    allSourcesReady,
    now,
    logger,
  } = options;

  /** By UID, static pods that are admitted once the previous pod of their name has terminated: it has resources that they may need. */
  const waiting = new Map<string, { pod: Pod; cause: PodUpdateCause }>();
  const isPreviousTerminating = (pod: Pod) => podWorkers.isPodForMirrorPodTerminatingByFullName(podFullName(pod));

  /** Passes a change of a pod, or of a static pod's mirror, to the pod's worker. */
  const update = (changed: Pod, type: 'create' | 'update', cause: PodUpdateCause) => {
    const { pod, wasMirror } = pods.podAndMirrorPod(changed);
    if (pod === undefined) {
      logger.debug({ pod: podKey(changed) }, 'mirror pod without a static pod');
      return;
    }
    podWorkers.updatePod({ type: wasMirror ? 'update' : type, pod, startTime: now(), cause });
  };

  /** A pod that is already being deleted is not rejected: its worker terminates it and starts nothing. */
  const mustBeAdmitted = (pod: Pod) =>
    !pods.podAndMirrorPod(pod).wasMirror &&
    !isTerminalPhase(pod.status?.phase) &&
    pod.metadata?.deletionTimestamp === undefined &&
    !podWorkers.isPodTerminationRequested(podUid(pod));
  const add = async (added: Pod[], cause: PodUpdateCause) => {
    const replacesRunning = await findReplaced(added.filter(isStaticPod));
    for (const pod of byCreation(added)) {
      if (isStaticPod(pod) && (isPreviousTerminating(pod) || replacesRunning(pod))) {
        waiting.set(podUid(pod), { pod, cause });
        continue;
      }
      pods.addPod(pod);
      onPodAdded(pod);
      if (mustBeAdmitted(pod)) {
        const result = await allocation.addPod(pod);
        if (!result.admit) {
          onPodRejected(pod, result);
          continue;
        }
        allocation.pushPendingResize(pod);
      }
      update(pod, 'create', cause);
    }
  };
  /** Allocates resizes before the workers get the update, so that their sync uses the allocated resources. */
  const change = async (updated: Pod[], cause: PodUpdateCause) => {
    const changed = updated.filter((pod) => !waiting.has(podUid(pod)));
    for (const pod of updated) if (waiting.has(podUid(pod))) waiting.set(podUid(pod), { pod, cause });
    for (const pod of changed) {
      pods.updatePod(pod);
      if (!isMirrorPod(pod)) allocation.pushPendingResize(pod);
    }
    await allocation.retryPendingResizes('pod_updated');
    for (const pod of changed) update(pod, 'update', cause);
  };
  /** The API server's pod statuses changed: syncs pods whose Ready condition depends on their readiness gates. */
  const reconcile = (changed: Pod[], cause: PodUpdateCause) => {
    for (const changedPod of changed) {
      pods.updatePod(changedPod);
      const { pod } = pods.podAndMirrorPod(changedPod);
      if (pod !== undefined && needToReconcilePodReadiness(pod)) podWorkers.updatePod({ type: 'sync', pod, startTime: now(), cause });
    }
  };
  const remove = (removed: Pod[], cause: PodUpdateCause) => {
    for (const pod of removed) {
      if (waiting.delete(podUid(pod))) continue;
      pods.removePod(pod);
      const { wasMirror } = pods.podAndMirrorPod(pod);
      if (wasMirror) {
        update(pod, 'update', cause);
        continue;
      }
      onPodRemoved(pod);
      // Until all sources have delivered their lists the pod may have moved to another source; housekeeping terminates it otherwise.
      if (allSourcesReady()) podWorkers.updatePod({ type: 'kill', pod, startTime: now(), cause });
    }
  };

  const handleConfigUpdate = async ({ op, pods: changed, source }: PodConfigUpdate) => {
    logger.debug({ op, source, pods: changed.map(podFullName) }, 'pod configuration update');
    const cause = { event: op, source };
    if (op === 'ADD') await add(changed, cause);
    else if (op === 'UPDATE' || op === 'DELETE') await change(changed, cause);
    else if (op === 'REMOVE') remove(changed, cause);
    else reconcile(changed, cause);
    onSourceSeen(source);
    if (op === 'ADD') await allocation.retryPendingResizes('pods_added');
    if (op === 'REMOVE') await allocation.retryPendingResizes('pods_removed');
  };

  return {
    handleConfigUpdate,
    async addWaitingPods() {
      const left = [...waiting.values()].filter(({ pod }) => !isPreviousTerminating(pod));
      for (const { pod, cause } of left) {
        waiting.delete(podUid(pod));
        await add([pod], cause);
      }
      return waiting.size === 0;
    },
  };
}

/** Oldest first, so that older pods get resources first; pods without a creation time keep their order at the front. */
function byCreation(pods: readonly Pod[]): Pod[] {
  const created = (pod: Pod) => pod.metadata?.creationTimestamp ?? '';
  return [...pods].sort((a, b) => (created(a) < created(b) ? -1 : created(a) > created(b) ? 1 : 0));
}
