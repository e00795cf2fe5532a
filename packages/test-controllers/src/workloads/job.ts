import type { Pod } from '@nodeagent/api';
import { formatTime, isPodReady, parseTime } from '@nodeagent/api/helpers';
import { backoffEnd, finishedAt, type JobBackoff, nextBackoff, noFailures } from './jobs/job-backoff.js';
import { indexStatus, isFailed, isIndexed, type JobCounts, jobCounts, pendingIndexes, replacesFailedOnly } from './jobs/job-counts.js';
import { completed, deadlineOf, earlyOutcome, isFinished, type Outcome } from './jobs/job-outcome.js';
import { allFailures, indexOf, jobPod } from './jobs/job-pods.js';
import { isTracked, untracked } from './jobs/tracking.js';
import type { Condition, EventText, Job, Reconciliation, Write } from './objects.js';
import { controlledBy, earliest, statusWrites } from './ownership.js';
import { byWorth } from './pod-states.js';

/** The value of `managedBy` for this controller. */
const controllerName = 'kubernetes.io/job-controller';

/** The next change of a job's pods. */
interface Plan {
  create: Pod[];
  remove: readonly Pod[];
  /** When more pods can be created. */
  againAt?: number | undefined;
}

export interface JobInput {
  job: Job;
  pods: readonly Pod[];
  now: number;
  backoff?: JobBackoff;
  /** Whether the server refused to create a pod in this step, so that no more are created. */
  isCreationRefused?: boolean;
}

/**
 * Reconciles a Job: its pods, indexed or not, up to `parallelism`, until enough have succeeded, too many have failed, a policy decides, or
 * its deadline has passed; its status; and its deletion after `ttlSecondsAfterFinished`. Pods keep a finalizer until they are counted. `pods` may be all of the namespace.
 * `backoff` is that of the step before, so that deleted pods count; by default it follows from the pods. Kubernetes documentation, "Jobs".
 */
export function reconcileJob(input: JobInput): Reconciliation & { backoff?: JobBackoff } {
  const { job, now } = input;
  const { spec, metadata } = job;
  if (spec.managedBy !== undefined && spec.managedBy !== controllerName) return { writes: [] };
  if (isFinished(job)) return expiry(job, now);
  const startTime = spec.suspend ? undefined : startOf(job, now);
  const deadline = deadlineOf(job, startTime);
  const counts = jobCounts(job, controlledBy(input.pods, job));
  const backoff = backoffAfter(counts, input.backoff);
  const early = earlyOutcome(counts, deadline, now);
  const plan = early
    ? { create: [], remove: counts.active }
    : metadata.deletionTimestamp
      ? { create: [], remove: [] }
      : planPods(counts, backoff, now);
  if (input.isCreationRefused) plan.create = [];
  const active = counts.active.length - plan.remove.length;
  const outcome = early ?? (isComplete(counts, active + plan.create.length) ? completed : undefined);
  const terminating = counts.terminating.length + plan.remove.length;
  const untrack = podsToUntrack(counts, plan, early, outcome);
  const isOver = outcome !== undefined && terminating === 0;
  const status = {
    ...(startTime && { startTime }),
    ...(isOver && outcome.isSuccess && { completionTime: formatTime(now) }),
    active: active + plan.create.length,
    terminating,
    ready: counts.active.filter((pod) => isPodReady(pod) && !plan.remove.includes(pod)).length,
    succeeded: counts.succeeded,
    failed: failedAfter(counts, early, untrack),
    ...indexStatus(counts),
    uncountedTerminatedPods: {},
    ...conditionsAfter(job, { outcome, isOver, now }),
  };
  const writes: Write[] = [
    ...untrack.map((pod): Write => ({ verb: 'update', object: untracked(pod) })),
    ...plan.remove.map((object): Write => ({ verb: 'delete', object })),
    ...plan.create.map((object): Write => ({ verb: 'create', object })),
    ...statusWrites(job, status),
  ];
  const events = eventsOf(job, status.conditions ?? []);
  return { writes, backoff, ...(events.length > 0 && { events }), ...earliest(outcome ? [] : [plan.againAt, deadline]) };
}

function backoffAfter({ pods, newlyFailed, newlySucceeded }: JobCounts, before: JobBackoff | undefined): JobBackoff {
  if (before) return nextBackoff(before, newlyFailed, newlySucceeded);
  const failed = pods.filter((pod) => pod.status?.phase === 'Failed' || newlyFailed.includes(pod));
  return nextBackoff(
    noFailures,
    failed,
    pods.filter(({ status }) => status?.phase === 'Succeeded'),
  );
}

/** Deletes a finished job some time later. */
function expiry(job: Job, now: number): Reconciliation {
  const { spec, status, metadata } = job;
  const finished = status?.conditions?.find(({ type, status: value }) => (type === 'Complete' || type === 'Failed') && value === 'True');
  const since = parseTime(finished?.lastTransitionTime);
  if (spec.ttlSecondsAfterFinished === undefined || since === undefined || metadata.deletionTimestamp) return { writes: [] };
  const at = since + spec.ttlSecondsAfterFinished * 1_000;
  return at > now ? { writes: [], againAt: at } : { writes: [{ verb: 'delete', object: job, propagationPolicy: 'Foreground' }] };
}

const conditionOf = ({ status }: Job, type: string): Condition | undefined => status?.conditions?.find((each) => each.type === type);

/** A job that is resumed starts again. */
function startOf(job: Job, now: number): string {
  const isResumed = conditionOf(job, 'Suspended')?.status === 'True';
  return isResumed ? formatTime(now) : (job.status?.startTime ?? formatTime(now));
}

/** Whether enough pods have succeeded; without `completions`: one, and all others have terminated. */
function isComplete({ job, succeeded }: JobCounts, active: number): boolean {
  const { completions } = job.spec;
  return active === 0 && (completions === undefined ? succeeded > 0 : succeeded >= completions);
}

/** Number of pods to run. Without `completions` no pod is started after the first success. */
function wantedPods({ job, succeeded, active }: JobCounts): number {
  const { parallelism = 1, completions, suspend } = job.spec;
  if (suspend) return 0;
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.min(parallelism, Math.max(0, completions - succeeded));
}

function planPods(counts: JobCounts, { failures, lastFailure }: JobBackoff, now: number): Plan {
  const { job, active, terminating, toReplace } = counts;
  const wanted = wantedPods(counts);
  const remove = surplusPods(counts, active.length - wanted);
  if (remove.length > 0) return { create: [], remove };
  const missing = wanted - active.length - (replacesFailedOnly(job) ? terminating.length : 0);
  if (missing <= 0) return { create: [], remove };
  if (job.spec.backoffLimitPerIndex !== undefined) return planIndexes(pendingIndexes(counts, missing), job, toReplace, now);
  const againAt = backoffEnd(failures, lastFailure);
  if (againAt !== undefined && now < againAt) return { create: [], remove, againAt };
  const indexes = isIndexed(job) ? pendingIndexes(counts, missing) : Array.from({ length: missing }, () => undefined);
  return { create: indexes.map((index) => jobPod(job, index)), remove };
}

/** Each index has a back-off of its failures. */
function planIndexes(indexes: readonly number[], job: Job, toReplace: ReadonlyMap<number, Pod>, now: number): Plan {
  const create: Pod[] = [];
  const waits: number[] = [];
  for (const index of indexes) {
    const replaced = toReplace.get(index);
    const until = replaced && backoffEnd(allFailures(replaced) + 1, finishedAt(replaced));
    if (until !== undefined && now < until) waits.push(until);
    else create.push(jobPod(job, index, replaced));
  }
  return { create, remove: [], ...(waits.length > 0 && { againAt: Math.min(...waits) }) };
}

/** Active pods to remove: of an indexed job first those without a valid index and all but one of each index. */
function surplusPods({ job, active }: JobCounts, surplus: number): Pod[] {
  const ranked = byWorth(active);
  if (!isIndexed(job)) return ranked.slice(0, Math.max(0, surplus));
  const kept = new Map<number, Pod>();
  for (const pod of ranked) {
    const index = indexOf(pod, job.spec.completions ?? 0);
    if (index !== undefined) kept.set(index, pod);
  }
  const unique = ranked.filter((pod) => [...kept.values()].includes(pod));
  const invalid = ranked.filter((pod) => !unique.includes(pod));
  return [...invalid, ...unique.slice(0, Math.max(0, surplus - invalid.length))];
}

/** The pods that lose their finalizer, because they are counted or need not be. */
function podsToUntrack(counts: JobCounts, { create, remove }: Plan, early: Outcome | undefined, outcome: Outcome | undefined): Pod[] {
  const { job, pods, newlySucceeded, newlyFailed, toReplace } = counts;
  const tracked = pods.filter(isTracked);
  if (early || outcome || job.metadata.deletionTimestamp) return tracked;
  const completions = job.spec.completions ?? 0;
  const replaced = new Set(create.map((pod) => indexOf(pod, completions)));
  const isKept = (pod: Pod) => [...toReplace].some(([index, each]) => each === pod && !replaced.has(index));
  return tracked.filter((pod) => newlySucceeded.includes(pod) || remove.includes(pod) || (newlyFailed.includes(pod) && !isKept(pod)));
}

/** A pod is counted when it loses its finalizer; all that still run count as failed when the job fails. */
function failedAfter(counts: JobCounts, early: Outcome | undefined, untrack: readonly Pod[]): number {
  const { job, newlyFailed, failed, active } = counts;
  const waiting = newlyFailed.filter((pod) => !untrack.includes(pod)).length;
  const stopped = early && !early.isSuccess ? active.filter((pod) => isTracked(pod) && !isFailed(job, pod)).length : 0;
  return failed - waiting + stopped;
}

/** The result is known before the last pods have terminated, and final after that. */
function conditionsAfter(
  job: Job,
  { outcome, isOver, now }: { outcome: Outcome | undefined; isOver: boolean; now: number },
): { conditions?: Condition[] } {
  const before = job.status?.conditions ?? [];
  const time = formatTime(now);
  const change = (type: string, value: string, { reason, message }: Pick<Outcome, 'reason' | 'message'>): Condition[] =>
    conditionOf(job, type)?.status === value
      ? []
      : [{ type, status: value, lastProbeTime: time, lastTransitionTime: time, reason, message }];
  const changes = outcome
    ? [
        ...change(outcome.isSuccess ? 'SuccessCriteriaMet' : 'FailureTarget', 'True', outcome),
        ...(isOver ? change(outcome.isSuccess ? 'Complete' : 'Failed', 'True', outcome) : []),
      ]
    : job.spec.suspend
      ? change('Suspended', 'True', { reason: 'JobSuspended', message: 'Job suspended' })
      : conditionOf(job, 'Suspended')
        ? change('Suspended', 'False', { reason: 'JobResumed', message: 'Job resumed' })
        : [];
  const changed = new Set(changes.map(({ type }) => type));
  const conditions = [...before.filter(({ type }) => !changed.has(type)), ...changes];
  return conditions.length > 0 ? { conditions } : {};
}

/** The events of new conditions. */
function eventsOf(job: Job, conditions: readonly Condition[]): EventText[] {
  const isNew = ({ type, status }: Condition) => conditionOf(job, type)?.status !== status;
  return conditions.filter(isNew).flatMap(({ type, status, reason = '', message = '' }): EventText[] => {
    if (type === 'Suspended') return [{ type: 'Normal', reason: status === 'True' ? 'Suspended' : 'Resumed', message }];
    if (type === 'Complete') return [{ type: 'Normal', reason: 'Completed', message: 'Job completed' }];
    return type === 'Failed' ? [{ type: 'Warning', reason, message }] : [];
  });
}
