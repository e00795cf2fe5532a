import type { AllocationManager, Logger, Pod, PodAdmitResult, PodConfigUpdate, PodUpdateCause, PodWorkers } from '@nodeagent/api';
import { isMirrorPod, isStaticPod, isTerminalPhase, podFullName, podKey, podUid } from '@nodeagent/api/helpers';
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
  return new SourceUpdates(options);
}

/** A static pod that is admitted once the previous pod of its name has terminated: it has resources that it may need. */
interface WaitingPod {
  pod: Pod;
  cause: PodUpdateCause;
}

class SourceUpdates implements ConfigHandler {
  readonly #options: ConfigHandlerOptions;
  /** By UID. */
  readonly #waiting = new Map<string, WaitingPod>();

  constructor(options: ConfigHandlerOptions) {
    this.#options = options;
  }

  async handleConfigUpdate({ op, pods, source }: PodConfigUpdate): Promise<void> {
    const { allocation, onSourceSeen, logger } = this.#options;
    logger.debug({ op, source, pods: pods.map(podFullName) }, 'pod configuration update');
    const cause = { event: op, source };
    if (op === 'ADD') await this.#add(pods, cause);
    else if (op === 'UPDATE' || op === 'DELETE') await this.#change(pods, cause);
    else if (op === 'REMOVE') this.#remove(pods, cause);
    else this.#reconcile(pods, cause);
    onSourceSeen(source);
    if (op === 'ADD') await allocation.retryPendingResizes('pods_added');
    if (op === 'REMOVE') await allocation.retryPendingResizes('pods_removed');
  }

  async addWaitingPods(): Promise<boolean> {
    const ready = [...this.#waiting.values()].filter(({ pod }) => !this.#isPreviousTerminating(pod));
    for (const { pod, cause } of ready) {
      this.#waiting.delete(podUid(pod));
      await this.#add([pod], cause);
    }
    return this.#waiting.size === 0;
  }

  async #add(added: Pod[], cause: PodUpdateCause): Promise<void> {
    const { pods, findReplaced, allocation, onPodAdded, onPodRejected } = this.#options;
    const replacesRunning = await findReplaced(added.filter(isStaticPod));
    for (const pod of byCreation(added)) {
      if (isStaticPod(pod) && (this.#isPreviousTerminating(pod) || replacesRunning(pod))) {
        this.#waiting.set(podUid(pod), { pod, cause });
        continue;
      }
      pods.addPod(pod);
      onPodAdded(pod);
      if (this.#mustBeAdmitted(pod)) {
        const result = await allocation.addPod(pod);
        if (!result.admit) {
          onPodRejected(pod, result);
          continue;
        }
        allocation.pushPendingResize(pod);
      }
      this.#update(pod, 'create', cause);
    }
  }

  /** A pod that is already being deleted is not rejected: its worker terminates it and starts nothing. */
  #mustBeAdmitted(pod: Pod): boolean {
    const { pods, podWorkers } = this.#options;
    return (
      !pods.podAndMirrorPod(pod).wasMirror &&
      !isTerminalPhase(pod.status?.phase) &&
      pod.metadata?.deletionTimestamp === undefined &&
      !podWorkers.isPodTerminationRequested(podUid(pod))
    );
  }

  /** Allocates resizes before the workers get the update, so that their sync uses the allocated resources. */
  async #change(updated: Pod[], cause: PodUpdateCause): Promise<void> {
    const { pods, allocation } = this.#options;
    const changed = updated.filter((pod) => !this.#waiting.has(podUid(pod)));
    for (const pod of updated) if (this.#waiting.has(podUid(pod))) this.#waiting.set(podUid(pod), { pod, cause });
    for (const pod of changed) {
      pods.updatePod(pod);
      if (!isMirrorPod(pod)) allocation.pushPendingResize(pod);
    }
    await allocation.retryPendingResizes('pod_updated');
    for (const pod of changed) this.#update(pod, 'update', cause);
  }

  /** The API server's pod statuses changed: syncs pods whose Ready condition depends on their readiness gates. */
  #reconcile(changed: Pod[], cause: PodUpdateCause): void {
    const { pods, podWorkers, now } = this.#options;
    for (const changedPod of changed) {
      pods.updatePod(changedPod);
      const { pod } = pods.podAndMirrorPod(changedPod);
      if (pod !== undefined && needToReconcilePodReadiness(pod)) podWorkers.updatePod({ type: 'sync', pod, startTime: now(), cause });
    }
  }

  #remove(removed: Pod[], cause: PodUpdateCause): void {
    const { pods, podWorkers, onPodRemoved, allSourcesReady, now } = this.#options;
    for (const pod of removed) {
      if (this.#waiting.delete(podUid(pod))) continue;
      pods.removePod(pod);
      const { wasMirror } = pods.podAndMirrorPod(pod);
      if (wasMirror) {
        this.#update(pod, 'update', cause);
        continue;
      }
      onPodRemoved(pod);
      // Until all sources have delivered their lists the pod may have moved to another source; housekeeping terminates it otherwise.
      if (allSourcesReady()) podWorkers.updatePod({ type: 'kill', pod, startTime: now(), cause });
    }
  }

  /** Passes a change of a pod, or of a static pod's mirror, to the pod's worker. */
  #update(changed: Pod, type: 'create' | 'update', cause: PodUpdateCause): void {
    const { pods, podWorkers, now, logger } = this.#options;
    const { pod, wasMirror } = pods.podAndMirrorPod(changed);
    if (pod === undefined) {
      logger.debug({ pod: podKey(changed) }, 'mirror pod without a static pod');
      return;
    }
    podWorkers.updatePod({ type: wasMirror ? 'update' : type, pod, startTime: now(), cause });
  }

  #isPreviousTerminating(pod: Pod): boolean {
    return this.#options.podWorkers.isPodForMirrorPodTerminatingByFullName(podFullName(pod));
  }
}

/** Oldest first, so that older pods get resources first; pods without a creation time keep their order at the front. */
function byCreation(pods: readonly Pod[]): Pod[] {
  const created = (pod: Pod) => pod.metadata?.creationTimestamp ?? '';
  return [...pods].sort((a, b) => (created(a) < created(b) ? -1 : created(a) > created(b) ? 1 : 0));
}
