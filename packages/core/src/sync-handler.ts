import { type Logger, type Pod, type PodConfigUpdate, type PodUpdateCause, type PodWorkers, podFullName } from '@nodeagent/api';
import { needToReconcilePodReadiness } from '@nodeagent/status-manager';
import type { SyncHandler } from './sync-loop.js';

/** The part of the pod manager that the sync loop needs. */
export interface DesiredPods {
  addPod(pod: Pod): void;
  updatePod(pod: Pod): void;
  removePod(pod: Pod): void;
  podByUid(uid: string): Pod | undefined;
  /** The static pod of a mirror pod and the mirror pod of a static pod. */
  podAndMirrorPod(pod: Pod): { pod?: Pod; mirrorPod?: Pod; wasMirror: boolean };
}

export interface SyncHandlerOptions {
  pods: DesiredPods;
  podWorkers: Pick<PodWorkers, 'updatePod'>;
  /** Called after an update of a source was taken in. */
  onSourceSeen(source: string): void;
  allSourcesReady(): boolean;
  /** A container of a pod ended: dead containers beyond those to keep can go. */
  onContainerDied(podUid: string, containerId: string): void;
  /** A source has the pod, perhaps again. */
  onPodAdded(pod: Pod): void;
  onPodRemoved(pod: Pod): void;
  housekeeping(): Promise<boolean>;
  now(): number;
  logger: Logger;
}

/** Turns what the sync loop receives into updates for pod workers. */
export function createSyncHandler(options: SyncHandlerOptions): SyncHandler {
  const { pods, podWorkers, onSourceSeen, allSourcesReady, onContainerDied, onPodAdded, onPodRemoved, housekeeping, now, logger } = options;

  /** Passes a change of a pod, or of a static pod's mirror, to the pod's worker. */
  const update = (changed: Pod, type: 'create' | 'update', cause: PodUpdateCause) => {
    const { pod, mirrorPod, wasMirror } = pods.podAndMirrorPod(changed);
    if (pod === undefined) {
      logger.debug({ pod: podFullName(changed) }, 'mirror pod without a static pod');
      return;
    }
    podWorkers.updatePod({ type: wasMirror ? 'update' : type, pod, ...(mirrorPod && { mirrorPod }), startTime: now(), cause });
  };

  const add = (added: Pod[], cause: PodUpdateCause) => {
    for (const pod of byCreation(added)) {
      pods.addPod(pod);
      onPodAdded(pod);
      update(pod, 'create', cause);
    }
  };
  const change = (changed: Pod[], cause: PodUpdateCause) => {
    for (const pod of changed) {
      pods.updatePod(pod);
      update(pod, 'update', cause);
    }
  };
  /** Others changed the pods' statuses: the node's own part of them is looked at where it depends on theirs. */
  const reconcile = (changed: Pod[], cause: PodUpdateCause) => {
    for (const pod of changed) {
      pods.updatePod(pod);
      if (needToReconcilePodReadiness(pod)) syncPod(pod, cause);
    }
  };
  const remove = (removed: Pod[], cause: PodUpdateCause) => {
    for (const pod of removed) {
      pods.removePod(pod);
      const { wasMirror } = pods.podAndMirrorPod(pod);
      if (wasMirror) {
        update(pod, 'update', cause);
        continue;
      }
      onPodRemoved(pod);
      // Before every source was heard the pod may only have moved; housekeeping ends it if not.
      if (allSourcesReady()) podWorkers.updatePod({ type: 'kill', pod, startTime: now(), cause });
    }
  };

  return {
    handleConfigUpdate({ op, pods: changed, source }: PodConfigUpdate) {
      logger.debug({ op, source, pods: changed.map(podFullName) }, 'pod configuration update');
      const cause = { event: op, source };
      if (op === 'ADD') add(changed, cause);
      else if (op === 'UPDATE' || op === 'DELETE') change(changed, cause);
      else if (op === 'REMOVE') remove(changed, cause);
      else reconcile(changed, cause);
      onSourceSeen(source);
    },
    handlePodLifecycleEvent({ type, podUid: uid, containerId }) {
      if (type !== 'ContainerRemoved') {
        const pod = pods.podByUid(uid);
        if (pod !== undefined) syncPod(pod, { event: type, ...(containerId !== undefined && { containerId }) });
      }
      if (type === 'ContainerDied' && containerId !== undefined) onContainerDied(uid, containerId);
    },
    syncPods(uids) {
      for (const uid of uids) {
        const pod = pods.podByUid(uid);
        if (pod !== undefined) syncPod(pod, { event: 'Due' });
      }
    },
    housekeeping,
  };

  function syncPod(pod: Pod, cause: PodUpdateCause): void {
    const { mirrorPod } = pods.podAndMirrorPod(pod);
    podWorkers.updatePod({ type: 'sync', pod, ...(mirrorPod && { mirrorPod }), startTime: now(), cause });
  }
}

/** Oldest first, so that older pods get resources first; pods without a creation time keep their order at the front. */
export function byCreation(pods: readonly Pod[]): Pod[] {
  const created = (pod: Pod) => pod.metadata?.creationTimestamp ?? '';
  return [...pods].sort((a, b) => (created(a) < created(b) ? -1 : created(a) > created(b) ? 1 : 0));
}
