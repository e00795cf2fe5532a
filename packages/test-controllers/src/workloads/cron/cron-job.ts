import type { ObjectMeta } from '@nodeagent/api';
import { formatTime, parseTime } from '@nodeagent/api/helpers';
import type { Condition, CronJob, EventText, Job, ObjectReference, Reconciliation, Write, WriteFailure } from '../objects.js';
import { controlledBy, controllerReference, statusWrites } from '../ownership.js';
import { type CronSchedule, parseCronSchedule } from './schedule.js';
import { zonedRfc3339 } from './wall-clock.js';

/** The annotation of a Job with the time for which it was started. */
const scheduledAnnotation = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

/** A controller waits this long after the time of a schedule, as clocks differ. */
const paddingMs = 100;
/** More missed starts than this are reported. */
const manyMissed = 100;

export interface CronJobInput {
  cronJob: CronJob;
  /** May be all of the namespace. */
  jobs: readonly Job[];
  now: number;
  /** Why the last write failed; the start stays due. */
  failure?: WriteFailure;
}

/**
 * Reconciles a CronJob: starts the job of the last time of its schedule that has passed, unless a concurrency policy or a deadline forbids
 * it, deletes old jobs, and reports which ones are active. Kubernetes documentation, "CronJob".
 */
export function reconcileCronJob(input: CronJobInput): Reconciliation {
  const { cronJob, now } = input;
  const jobs = controlledBy(input.jobs, cronJob);
  const { status, events } = observedStatus(cronJob, jobs);
  if (cronJob.metadata.deletionTimestamp) return { writes: statusWrites(cronJob, status), events };
  const cleanup = historyWrites(cronJob, jobs);
  const start = startOf(cronJob, jobs, status, now);
  const isStarted = start.scheduled !== undefined && input.failure === undefined;
  const after = isStarted ? startedStatus(status, start) : status;
  return {
    writes: [...cleanup, ...start.writes, ...statusWrites(cronJob, after)],
    events: [...events, ...start.events],
    ...(start.againAt !== undefined && { againAt: start.againAt }),
  };
}

type Status = NonNullable<CronJob['status']>;

/** The status after a start, which replaces active jobs or none. */
function startedStatus({ active = [], ...status }: Status, { scheduled = 0, replaced = [] }: Start): Status {
  const kept = active.filter(({ uid }) => !replaced.some(({ metadata }) => metadata.uid === uid));
  return { ...status, ...(kept.length > 0 && { active: kept }), lastScheduleTime: formatTime(scheduled) };
}

const finishedCondition = ({ status }: Job): Condition | undefined =>
  status?.conditions?.find(({ type, status: value }) => (type === 'Complete' || type === 'Failed') && value === 'True');

const jobName = ({ metadata }: CronJob, scheduled: number): string => `${metadata.name}-${Math.floor(scheduled / 60_000)}`;

/** The status that follows from the jobs. */
function observedStatus(cronJob: CronJob, jobs: readonly Job[]): { status: Status; events: EventText[] } {
  const { active = [], ...before } = cronJob.status ?? {};
  const events: EventText[] = [];
  const known = new Set(active.map(({ uid }) => uid));
  const kept: ObjectReference[] = [];
  for (const reference of active) {
    const job = jobs.find(({ metadata }) => metadata.uid === reference.uid);
    const finished = job && finishedCondition(job);
    const { name } = reference;
    if (!job) events.push({ type: 'Normal', reason: 'MissingJob', message: `Active job went missing: ${name}` });
    else if (finished)
      events.push({ type: 'Normal', reason: 'SawCompletedJob', message: `Saw completed job: ${name}, condition: ${finished.type}` });
    else kept.push(reference);
  }
  for (const job of jobs.filter((each) => !known.has(each.metadata.uid) && !finishedCondition(each))) {
    const { name = '', annotations } = job.metadata;
    const scheduled = parseTime(annotations?.[scheduledAnnotation]);
    if (scheduled !== undefined && name === jobName(cronJob, scheduled)) kept.push(referenceTo(job));
    else
      events.push({ type: 'Warning', reason: 'UnexpectedJob', message: `Saw a job that the controller did not create or forgot: ${name}` });
  }
  const completed = jobs.filter((job) => finishedCondition(job)?.type === 'Complete').map(({ status }) => status?.completionTime);
  const lastSuccessfulTime = [before.lastSuccessfulTime, ...completed]
    .filter((time) => time !== undefined)
    .sort()
    .at(-1);
  const status = { ...before, ...(kept.length > 0 && { active: kept }), ...(lastSuccessfulTime && { lastSuccessfulTime }) };
  return { status, events };
}

function referenceTo({ metadata }: Job): ObjectReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return {
    kind: 'Job',
    apiVersion: 'batch/v1',
    ...(namespace && { namespace }),
    ...(name && { name }),
    ...(uid && { uid }),
    ...(resourceVersion && { resourceVersion }),
  };
}

/** The oldest finished jobs beyond the limits. */
function historyWrites({ spec }: CronJob, jobs: readonly Job[]): Write[] {
  const surplus = (type: string, limit: number): Write[] => {
    const finished = jobs.filter((job) => finishedCondition(job)?.type === type && !job.metadata.deletionTimestamp).sort(byStart);
    return finished.slice(0, Math.max(0, finished.length - limit)).map((object) => ({ verb: 'delete', object }));
  };
  return [...surplus('Complete', spec.successfulJobsHistoryLimit ?? 3), ...surplus('Failed', spec.failedJobsHistoryLimit ?? 1)];
}

function byStart(a: Job, b: Job): number {
  const start = ({ metadata, status }: Job) => `${status?.startTime ?? '~'} ${metadata.name}`;
  return start(a) < start(b) ? -1 : 1;
}

interface Start {
  writes: Write[];
  events: EventText[];
  /** The time of the schedule for which a job is started. */
  scheduled?: number;
  /** The jobs that it replaces. */
  replaced?: readonly Job[];
  againAt?: number;
}

const notStarted = (events: EventText[], againAt?: number): Start => ({ writes: [], events, ...(againAt !== undefined && { againAt }) });
const warning = (reason: string, message: string): EventText => ({ type: 'Warning', reason, message });

function startOf(cronJob: CronJob, jobs: readonly Job[], status: Status, now: number): Start {
  const { suspend, schedule: text, timeZone, startingDeadlineSeconds, concurrencyPolicy } = cronJob.spec;
  if (suspend) return notStarted([]);
  let schedule: CronSchedule;
  try {
    schedule = parseCronSchedule(text, timeZone);
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof RangeError) return notStarted([warning('UnknownTimeZone', `invalid timeZone: "${timeZone}": ${message}`)]);
    return notStarted([warning('UnparseableSchedule', `unparseable schedule: "${text}" : ${message}`)]);
  }
  const last = parseTime(status.lastScheduleTime ?? cronJob.metadata.creationTimestamp) ?? now;
  const deadlineMs = (startingDeadlineSeconds ?? Number.POSITIVE_INFINITY) * 1_000;
  const { scheduled, missed } = lastMissed(schedule, Math.max(last, now - deadlineMs), now);
  const next = schedule.next(scheduled === undefined ? Math.max(last, now - 1) : now);
  const againAt = next === undefined ? undefined : next + paddingMs;
  const tooMany = 'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew';
  const events = missed > manyMissed ? [warning('TooManyMissedTimes', tooMany)] : [];
  if (scheduled === undefined) return notStarted(events, againAt);
  const name = jobName(cronJob, scheduled);
  if (jobs.some(({ metadata }) => metadata.name === name)) return notStarted(events, againAt);
  const active = status.active ?? [];
  if (concurrencyPolicy === 'Forbid' && active.length > 0) {
    const message = 'Not starting job because prior execution is running and concurrency policy is Forbid';
    return notStarted([...events, { type: 'Normal', reason: 'JobAlreadyActive', message }], againAt);
  }
  const replaced = concurrencyPolicy === 'Replace' ? jobs.filter(({ metadata }) => active.some(({ uid }) => uid === metadata.uid)) : [];
  const deletions = replaced.map((object): Write => ({ verb: 'delete', object }));
  const object = jobOf(cronJob, name, zonedRfc3339(scheduled, timeZone));
  return { writes: [...deletions, { verb: 'create', object }], events, scheduled, replaced, ...(againAt !== undefined && { againAt }) };
}

/** The last time of the schedule that has passed, and roughly how many have. */
function lastMissed(schedule: CronSchedule, after: number, now: number): { scheduled?: number; missed: number } {
  const first = schedule.next(after);
  if (first === undefined || first > now) return { missed: 0 };
  const second = schedule.next(first) ?? Number.POSITIVE_INFINITY;
  if (second > now) return { scheduled: first, missed: 1 };
  const missed = Math.floor((now - first) / (second - first)) + 1;
  let scheduled = Number.POSITIVE_INFINITY;
  for (let backMs = second - first; scheduled > now; backMs *= 2) scheduled = schedule.next(Math.max(first - 1, now - backMs)) ?? first;
  for (let time = schedule.next(scheduled); time !== undefined && time <= now; time = schedule.next(time)) scheduled = time;
  return { scheduled, missed };
}

function jobOf(cronJob: CronJob, name: string, scheduled: string): Job {
  const { namespace } = cronJob.metadata;
  const { metadata, spec } = cronJob.spec.jobTemplate;
  const meta: ObjectMeta = {
    name,
    ...(namespace && { namespace }),
    ...(metadata?.labels && { labels: metadata.labels }),
    annotations: { ...metadata?.annotations, [scheduledAnnotation]: scheduled },
    ownerReferences: [controllerReference(cronJob)],
  };
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: meta, spec };
}
