import {
  type Clock,
  type EventRecorder,
  formatTime,
  type Metrics,
  type Pod,
  type PodCondition,
  podReference,
  podResizeDetails,
  podUid,
} from '@nodeagent/api';
import type { ResizeDecision } from './can-resize-pod.js';
import { createAllocationMetrics } from './metrics.js';

/** Why a resize is not granted. */
type ResizeRefusal = Exclude<ResizeDecision, { fits: true }>;

/** The conditions `PodResizePending` of pods, with the events and metrics that go with them. */
export interface PendingConditions {
  get(podUid: string): PodCondition | undefined;
  /** Since when the pod's resize waits for the same reason, in clock milliseconds. */
  since(podUid: string): number | undefined;
  /** Notes why the pod's resize is not granted; returns whether that is news. */
  set(pod: Pod, refusal: ResizeRefusal): boolean;
  /** The resize was granted: metrics tell by what trigger if it had been deferred. */
  accept(podUid: string, trigger: string): void;
  /** There is nothing to be resized any more; returns whether there was. */
  delete(podUid: string): boolean;
  /** Forgets the pods that are not in the set. */
  retain(known: ReadonlySet<string>): void;
}

/** Holds an entry only for pods whose resize is pending. */
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
