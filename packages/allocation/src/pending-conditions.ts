import type { Clock, EventRecorder, Metrics, Pod, PodCondition } from '@nodeagent/api';
import { findPodCondition, formatTime, parseTime, podReference, podResizeDetails, podUid } from '@nodeagent/api/helpers';
import type { ResizeDecision } from './can-resize-pod.js';
import { createAllocationMetrics } from './metrics.js';

/** Why a resize is not allocated. */
type ResizeRefusal = Exclude<ResizeDecision, { fits: true }>;

/** The conditions `PodResizePending` of pods, with their events and metrics. */
export interface PendingConditions {
  get(podUid: string): PodCondition | undefined;
  /** Since when the pod's resize is pending for the same reason, in clock milliseconds. */
  since(podUid: string): number | undefined;
  /** Records why the pod's resize is not allocated; returns whether that has changed. */
  set(pod: Pod, refusal: ResizeRefusal): boolean;
  /** Restores the condition of the pod's status, which a previous agent reported. Later decisions replace it. */
  restore(pod: Pod): void;
  /** Records an allocated resize; counts its trigger if it had been deferred. */
  accept(podUid: string, trigger: string): void;
  /** Removes the pod's entry; returns whether there was one. */
  delete(podUid: string): boolean;
  /** Removes the pods that are not in the set. */
  retain(known: ReadonlySet<string>): void;
}

/** Holds entries only for pods with a pending resize. */
export function createPendingConditions(ports: { clock: Clock; recorder: EventRecorder; metrics: Metrics }): PendingConditions {
  const { clock, recorder } = ports;
  const metrics = createAllocationMetrics(ports.metrics);
  const conditions = new Map<string, { condition: PodCondition; since: number }>();

  const count = () => {
    for (const reason of ['Deferred', 'Infeasible']) {
      const pods = [...conditions.values()].filter(({ condition }) => condition.reason === reason);
      metrics.pending.set(pods.length, { reason: reason.toLowerCase() });
    }
  };
  const remove = (uid: string) => {
    const existed = conditions.delete(uid);
    if (existed) count();
    return existed;
  };

  return {
    get: (uid) => conditions.get(uid)?.condition,
    since: (uid) => conditions.get(uid)?.since,
    set(pod, refusal) {
      const { reason, message } = refusal;
      const generation = pod.metadata?.generation;
      const before = conditions.get(podUid(pod));
      const isSame =
        before?.condition.reason === reason && before.condition.message === message && before.condition.observedGeneration === generation;
      if (isSame) return false;

      const now = clock.now();
      const since = before?.condition.reason === reason ? before.since : now;
      const condition: PodCondition = {
        type: 'PodResizePending',
        status: 'True',
        ...(generation && { observedGeneration: generation }),
        lastProbeTime: formatTime(now),
        lastTransitionTime: formatTime(since),
        reason,
        message,
      };
      conditions.set(podUid(pod), { condition, since });
      count();
      recorder.event(podReference(pod), 'Warning', `Resize${reason}`, `Pod resize ${reason}: ${podResizeDetails(pod, message)}`);
      if (refusal.reason === 'Infeasible') metrics.infeasible.inc({ reason_detail: refusal.detail });
      return true;
    },
    restore(pod) {
      const condition = findPodCondition(pod.status, 'PodResizePending');
      if (condition === undefined || conditions.has(podUid(pod))) return;
      conditions.set(podUid(pod), { condition, since: parseTime(condition.lastTransitionTime) ?? clock.now() });
      count();
    },
    accept(uid, trigger) {
      if (conditions.get(uid)?.condition.reason === 'Deferred') metrics.deferredAccepted.inc({ retry_trigger: trigger });
      remove(uid);
    },
    delete: remove,
    retain(known) {
      for (const uid of [...conditions.keys()]) if (!known.has(uid)) remove(uid);
    },
  };
}
