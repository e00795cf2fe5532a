import type { Pod } from '@nodeagent/api';
import { allContainerStatuses, formatTime, isPodReady, parseTime } from '@nodeagent/api/helpers';
import type { Condition, Job, Reconciliation, Write } from './objects.js';
import { controlledBy, earliest, podFromTemplate, statusWrites } from './ownership.js';
import { byWorth, isActive } from './pod-states.js';

/** The back-off after a failed pod doubles with each further one. */
const firstBackoffMs = 10_000;
const longestBackoffMs = 600_000;

interface Failure {
  reason: string;
  message: string;
}

/**
 * Reconciles a Job: its pods, up to `parallelism`, until enough have succeeded, too many have failed, or its deadline has passed; and its
 * status. `pods` may be all of the namespace. Does not support indexes, pod failure policies and TTL, and counts existing pods only:
 * a deleted pod is created again. Kubernetes documentation, "Jobs".
 */
export function reconcileJob(input: { job: Job; pods: readonly Pod[]; now: number }): Reconciliation {
  const { job, now } = input;
  const { spec, status: before = {} } = job;
  if (hasCondition(before.conditions, 'Complete') || hasCondition(before.conditions, 'Failed')) return { writes: [] };
  const pods = controlledBy(input.pods, job);
  const active = pods.filter(isActive);
  const failed = pods.filter(({ status }) => status?.phase === 'Failed');
  const succeeded = pods.filter(({ status }) => status?.phase === 'Succeeded').length;
  const startTime = spec.suspend ? undefined : (before.startTime ?? formatTime(now));
  const deadline = deadlineOf(job, startTime);
  const failure = findFailure(job, failed.length, deadline, now);
  const isDone = isComplete(job, succeeded, active.length);

  const backoffUntil =
    failed.length === 0 ? undefined : lastEnd(failed) + Math.min(longestBackoffMs, firstBackoffMs * 2 ** (failed.length - 1));
  const isStopped = spec.suspend === true || failure !== undefined || isDone;
  const target = isStopped ? 0 : targetPods(job, succeeded, active.length);
  const missing = backoffUntil !== undefined && now < backoffUntil ? 0 : target - active.length;
  const writes: Write[] = job.metadata.deletionTimestamp
    ? []
    : active.length > target
      ? byWorth(active)
          .slice(0, active.length - target)
          .map((object) => ({ verb: 'delete', object }))
      : Array.from({ length: Math.max(0, missing) }, () => ({ verb: 'create', object: podFromTemplate(job, spec.template) }));

  const isOver = (isDone || failure !== undefined) && active.length === 0;
  const conditions = conditionsAfter(job, { isDone, isOver, failure, now });
  const status = {
    ...(startTime && { startTime }),
    ...(isDone && isOver && { completionTime: formatTime(now) }),
    active: active.length,
    ready: active.filter(isPodReady).length,
    succeeded,
    failed: failed.length,
    ...(conditions.length > 0 && { conditions }),
  };
  const isWaiting = !isStopped && active.length < target && backoffUntil !== undefined && now < backoffUntil;
  return {
    writes: [...writes, ...statusWrites(job, status)],
    ...(isOver ? {} : earliest([isWaiting ? backoffUntil : undefined, deadline])),
  };
}

const hasCondition = (conditions: readonly Condition[] | undefined, type: string): boolean =>
  conditions?.some((condition) => condition.type === type && condition.status === 'True') === true;

/** Number of pods to run. Without `completions` no pod is started after the first success. */
function targetPods({ spec }: Job, succeeded: number, active: number): number {
  const parallelism = spec.parallelism ?? 1;
  if (spec.completions === undefined) return succeeded > 0 ? Math.min(active, parallelism) : parallelism;
  return Math.min(parallelism, Math.max(0, spec.completions - succeeded));
}

/** Whether enough pods have succeeded; without `completions`: one, and all others have terminated. */
function isComplete({ spec }: Job, succeeded: number, active: number): boolean {
  return spec.completions === undefined ? succeeded > 0 && active === 0 : succeeded >= spec.completions;
}

function findFailure({ spec }: Job, failed: number, deadline: number | undefined, now: number): Failure | undefined {
  if (failed > (spec.backoffLimit ?? 6)) return { reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' };
  if (deadline !== undefined && now >= deadline)
    return { reason: 'DeadlineExceeded', message: 'Job was active longer than specified deadline' };
  return undefined;
}

function deadlineOf({ spec }: Job, startTime: string | undefined): number | undefined {
  const started = parseTime(startTime);
  return started === undefined || spec.activeDeadlineSeconds === undefined ? undefined : started + spec.activeDeadlineSeconds * 1_000;
}

/** When the last pod terminated. */
function lastEnd(pods: readonly Pod[]): number {
  return Math.max(
    ...pods.flatMap(({ metadata, status }) => [
      parseTime(metadata?.creationTimestamp) ?? 0,
      ...allContainerStatuses(status).map(({ state }) => parseTime(state?.terminated?.finishedAt) ?? 0),
    ]),
  );
}

interface Outcome {
  isDone: boolean;
  /** Whether no pod runs any more. */
  isOver: boolean;
  failure: Failure | undefined;
  now: number;
}

/** The result is known before the last pods have terminated, and final after that. */
function conditionsAfter({ spec, status }: Job, { isDone, isOver, failure, now }: Outcome): Condition[] {
  const before = status?.conditions ?? [];
  const find = (type: string) => before.find((condition) => condition.type === type);
  const change = (type: string, value: string, reason: string, message: string): Condition[] => {
    const old = find(type);
    if (old?.status === value) return [];
    return [{ type, status: value, lastTransitionTime: formatTime(now), reason, message }];
  };
  const completed = ['CompletionsReached', 'Reached expected number of succeeded pods'] as const;
  const changes = isDone
    ? [...change('SuccessCriteriaMet', 'True', ...completed), ...(isOver ? change('Complete', 'True', ...completed) : [])]
    : failure
      ? [
          ...change('FailureTarget', 'True', failure.reason, failure.message),
          ...(isOver ? change('Failed', 'True', failure.reason, failure.message) : []),
        ]
      : spec.suspend
        ? change('Suspended', 'True', 'JobSuspended', 'Job suspended')
        : find('Suspended')
          ? change('Suspended', 'False', 'JobResumed', 'Job resumed')
          : [];
  const changed = new Set(changes.map(({ type }) => type));
  return [...before.filter(({ type }) => !changed.has(type)), ...changes];
}
