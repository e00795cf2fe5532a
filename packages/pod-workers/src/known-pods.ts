import type { KnownPodWorker } from '@nodeagent/api';
import { isStaticPod } from '@nodeagent/api/helpers';
import { effectiveGracePeriod } from './grace-period.js';
import { type PodWorkerRecord, podWorkerState, requeueLastUpdate } from './record.js';

/**
 * Applies the list of desired pods to one worker; undefined removes the worker. An orphan (a pod that is not desired) is removed at once if
 * it never ran, and terminated otherwise. A finished worker is removed if its pod is an orphan or was created again.
 */
export function applyKnownPods(record: PodWorkerRecord, orphan: boolean, now: number): PodWorkerRecord | undefined {
  if (!orphan && !record.restartRequested) return record;
  if (record.finished) return undefined;
  if (!orphan) return record;
  if (record.startedAt === undefined && !record.observedRuntime) return undefined;
  const deleted = { ...record, deleted: true };
  if (record.terminatingAt !== undefined) return requeueLastUpdate(deleted);
  return requeueLastUpdate({ ...deleted, terminatingAt: now, terminationCause: 'killed', gracePeriod: orphanGracePeriod(record) });
}

function orphanGracePeriod({ active, gracePeriod }: PodWorkerRecord): number {
  if (active?.pod === undefined) return 1;
  return effectiveGracePeriod({
    recorded: gracePeriod,
    deletionGracePeriodSeconds: active.pod.metadata?.deletionGracePeriodSeconds,
    terminationGracePeriodSeconds: active.pod.spec?.terminationGracePeriodSeconds,
  }).gracePeriod;
}

/** The worker as {@link applyKnownPods} reports it to housekeeping. */
export function describeWorker(record: PodWorkerRecord, orphan: boolean): KnownPodWorker {
  const pod = (record.active ?? record.pending)?.pod;
  return { state: podWorkerState(record), orphan, hasConfig: pod !== undefined, static: pod !== undefined && isStaticPod(pod) };
}
