import type { Pod } from '@nodeagent/api';
import { isTerminalPhase } from '@nodeagent/api/helpers';
import type { Job } from '../objects.js';
import { isActive } from '../pod-states.js';
import { formatIndexes, parseIndexes } from './index-set.js';
import { finishedAt } from './job-backoff.js';
import { allFailures, failureCount, indexOf } from './job-pods.js';
import { matchPodFailurePolicy } from './pod-failure-policy.js';
import { isTracked } from './tracking.js';

/** What a job knows of its pods: those that it counted before, and those that still have the finalizer. */
export interface JobCounts {
  job: Job;
  pods: readonly Pod[];
  active: readonly Pod[];
  terminating: readonly Pod[];
  /** Terminated pods that are not counted yet. */
  newlySucceeded: readonly Pod[];
  newlyFailed: readonly Pod[];
  succeeded: number;
  failed: number;
  /** Of an indexed job. */
  succeededIndexes: ReadonlySet<number>;
  /** Of an indexed job with `backoffLimitPerIndex`. */
  failedIndexes: ReadonlySet<number>;
  /** Failed pods by index that keep their finalizer until they are replaced, as the new pod continues their count. */
  toReplace: ReadonlyMap<number, Pod>;
}

export const isIndexed = ({ spec }: Job): boolean => spec.completionMode === 'Indexed';

/** Whether a pod that is being deleted is replaced only once it has terminated. */
export const replacesFailedOnly = ({ spec }: Job): boolean =>
  (spec.podReplacementPolicy ?? (spec.podFailurePolicy ? 'Failed' : 'TerminatingOrFailed')) === 'Failed';

/** Whether the pod counts as failed, also before it has terminated. */
export function isFailed(job: Job, { metadata, status }: Pod): boolean {
  if (status?.phase === 'Failed') return true;
  return !replacesFailedOnly(job) && metadata?.deletionTimestamp !== undefined && status?.phase !== 'Succeeded';
}

export function jobCounts(job: Job, pods: readonly Pod[]): JobCounts {
  const { spec, status = {} } = job;
  const active = pods.filter(isActive);
  const terminating = pods.filter(({ metadata, status: its }) => metadata?.deletionTimestamp && !isTerminalPhase(its?.phase));
  const tracked = pods.filter(isTracked);
  const newlySucceeded = tracked.filter((pod) => pod.status?.phase === 'Succeeded');
  const newlyFailed = tracked.filter((pod) => isFailed(job, pod));
  const counted = newlyFailed.filter((pod) => matchPodFailurePolicy(spec.podFailurePolicy, pod).isCounted);
  const completions = spec.completions ?? 0;
  const indexes = (some: readonly Pod[]) => some.map((pod) => indexOf(pod, completions)).filter((index) => index !== undefined);
  const succeededIndexes = new Set([...parseIndexes(status.completedIndexes, completions), ...indexes(newlySucceeded)]);
  const failedIndexes = new Set([
    ...parseIndexes(status.failedIndexes, completions),
    ...indexes(newlyFailed.filter((pod) => failsIndex(job, pod))),
  ]);
  return {
    job,
    pods,
    active,
    terminating,
    newlySucceeded,
    newlyFailed,
    succeeded: isIndexed(job) ? succeededIndexes.size : (status.succeeded ?? 0) + newlySucceeded.length,
    failed: (status.failed ?? 0) + counted.length,
    succeededIndexes,
    failedIndexes,
    toReplace:
      spec.backoffLimitPerIndex === undefined
        ? new Map()
        : podsToReplace(newlyFailed, completions, new Set([...succeededIndexes, ...failedIndexes, ...indexes(active)])),
  };
}

function failsIndex({ spec }: Job, pod: Pod): boolean {
  if (spec.backoffLimitPerIndex === undefined) return false;
  const { action, isCounted } = matchPodFailurePolicy(spec.podFailurePolicy, pod);
  return action === 'FailIndex' || (isCounted && failureCount(pod) >= spec.backoffLimitPerIndex);
}

/** The last failed pod of each index that is neither `done` nor runs again. */
function podsToReplace(failed: readonly Pod[], completions: number, done: ReadonlySet<number>): Map<number, Pod> {
  const last = new Map<number, Pod>();
  for (const pod of failed) {
    const index = indexOf(pod, completions);
    if (index === undefined || done.has(index)) continue;
    const other = last.get(index);
    if (!other || (allFailures(other) <= allFailures(pod) && finishedAt(pod) >= finishedAt(other))) last.set(index, pod);
  }
  return last;
}

/** The indexes that get a pod next, at most `count`. */
export function pendingIndexes(counts: JobCounts, count: number): number[] {
  const { job, active, terminating, succeededIndexes, failedIndexes } = counts;
  const completions = job.spec.completions ?? 0;
  const busy = [...active, ...(replacesFailedOnly(job) ? terminating : [])].map((pod) => indexOf(pod, completions));
  const taken = new Set([...succeededIndexes, ...failedIndexes, ...busy]);
  const pending: number[] = [];
  for (let index = 0; index < completions && pending.length < count; index++) if (!taken.has(index)) pending.push(index);
  return pending;
}

/** The fields of the status of an indexed job. */
export function indexStatus({ job, succeededIndexes, failedIndexes }: JobCounts) {
  if (!isIndexed(job)) return {};
  const completed = formatIndexes(succeededIndexes);
  return {
    ...(completed && { completedIndexes: completed }),
    ...(job.spec.backoffLimitPerIndex !== undefined && { failedIndexes: formatIndexes(failedIndexes) }),
  };
}
