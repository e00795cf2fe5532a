import { parseTime } from '@nodeagent/api/helpers';
import type { Condition, Job } from '../objects.js';
import { isFailed, isIndexed, type JobCounts } from './job-counts.js';
import { matchPodFailurePolicy } from './pod-failure-policy.js';
import { matchSuccessPolicy } from './success-policy.js';

/** How a job ends. */
export interface Outcome {
  isSuccess: boolean;
  reason: string;
  message: string;
}

export const completed: Outcome = {
  isSuccess: true,
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
};

const failure = (reason: string, message: string): Outcome => ({ isSuccess: false, reason, message });

/** Whether a job is finished, as Complete or Failed. */
export const isFinished = ({ status }: Job): boolean => isTrue(status?.conditions, 'Complete') || isTrue(status?.conditions, 'Failed');

const isTrue = (conditions: readonly Condition[] | undefined, type: string) =>
  conditions?.some((each) => each.type === type && each.status === 'True') === true;

/** When the deadline of a job passes, in milliseconds since 1970. */
export function deadlineOf({ spec, status }: Job, startTime: string | undefined): number | undefined {
  const started = parseTime(startTime ?? status?.startTime);
  return started === undefined || spec.activeDeadlineSeconds === undefined || spec.suspend
    ? undefined
    : started + spec.activeDeadlineSeconds * 1_000;
}

/**
 * Why the job ends although it may have active pods: the outcome that was decided before, then failures, then the success policy. That it reached its
 * completions is decided after its pods.
 */
export function earlyOutcome(counts: JobCounts, deadline: number | undefined, now: number): Outcome | undefined {
  return decidedOutcome(counts.job) ?? failedOutcome(counts, deadline, now) ?? policyOutcome(counts);
}

function decidedOutcome({ status }: Job): Outcome | undefined {
  for (const [type, isSuccess] of [
    ['SuccessCriteriaMet', true],
    ['FailureTarget', false],
  ] as const) {
    const condition = status?.conditions?.find((each) => each.type === type && each.status === 'True');
    if (condition) return { isSuccess, reason: condition.reason ?? '', message: condition.message ?? '' };
  }
  return undefined;
}

function failedOutcome(counts: JobCounts, deadline: number | undefined, now: number): Outcome | undefined {
  const { job, pods, failed, failedIndexes, succeededIndexes } = counts;
  const { completions = 0, maxFailedIndexes, podFailurePolicy, backoffLimitPerIndex } = job.spec;
  const { backoffLimit = backoffLimitPerIndex === undefined ? 6 : Number.POSITIVE_INFINITY } = job.spec;
  for (const pod of pods) {
    const message = isFailed(job, pod) ? matchPodFailurePolicy(podFailurePolicy, pod).message : undefined;
    if (message !== undefined) return failure('PodFailurePolicy', message);
  }
  if (failed > backoffLimit || restartsExceed(counts, backoffLimit))
    return failure('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  if (deadline !== undefined && now >= deadline) return failure('DeadlineExceeded', 'Job was active longer than specified deadline');
  if (maxFailedIndexes !== undefined && failedIndexes.size > maxFailedIndexes)
    return failure('MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes');
  if (failedIndexes.size > 0 && failedIndexes.size + succeededIndexes.size >= completions)
    return failure('FailedIndexes', 'Job has failed indexes');
  return undefined;
}

/** Whether the containers of active pods with the policy `OnFailure` restarted too often. */
function restartsExceed({ job, pods }: JobCounts, limit: number): boolean {
  if (job.spec.template.spec.restartPolicy !== 'OnFailure') return false;
  const running = pods.filter(({ status }) => status?.phase === 'Running' || status?.phase === 'Pending');
  const restarts = running
    .flatMap(({ status }) => [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

function policyOutcome({ job, succeededIndexes }: JobCounts): Outcome | undefined {
  if (!isIndexed(job)) return undefined;
  const message = matchSuccessPolicy(job.spec.successPolicy, job.spec.completions ?? 0, succeededIndexes);
  return message === undefined ? undefined : { isSuccess: true, reason: 'SuccessPolicy', message };
}
