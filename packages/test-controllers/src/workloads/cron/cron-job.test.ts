import { formatTime } from '@nodeagent/api/helpers';
import { expect, it } from 'vitest';
import type { CronJob, Job } from '../objects.js';
import { TestObjects } from '../test-objects.js';
import { reconcileCronJob } from './cron-job.js';

const minuteMs = 60_000;
const template = { spec: { containers: [{ name: 'a', image: 'a' }] } };

function testObjects(spec: Partial<CronJob['spec']> = {}): TestObjects {
  const objects = new TestObjects();
  objects.put({
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'task', namespace: 'ns', uid: 'c', creationTimestamp: formatTime(objects.now) },
    spec: { schedule: '*/1 * * * *', jobTemplate: { metadata: { labels: { app: 'a' } }, spec: { template } }, ...spec },
  });
  return objects;
}

/** Reconciles until nothing changes; returns the reasons of events and the time until the next reconcile. */
function settle(objects: TestObjects): [reasons: string[], againMs: number | undefined] {
  const reasons: string[] = [];
  for (let round = 0; round < 10; round++) {
    const { cronJob, jobs, now } = objects;
    const { writes, events = [], againAt } = reconcileCronJob({ cronJob, jobs, now });
    reasons.push(...events.map(({ reason }) => reason));
    if (objects.write(writes) === 0) return [reasons, againAt === undefined ? undefined : againAt - now];
  }
  throw new Error('does not settle');
}

const at = (objects: TestObjects, minutes: number) => {
  objects.now = Date.parse('2026-01-01T00:00:00Z') + minutes * minuteMs;
  return settle(objects);
};
const finish = (objects: TestObjects, job: Job | undefined, type: 'Complete' | 'Failed') =>
  job &&
  objects.put({ ...job, status: { ...job.status, completionTime: formatTime(objects.now), conditions: [{ type, status: 'True' }] } });
const names = ({ jobs }: TestObjects) => jobs.map(({ metadata }) => metadata.name?.replace('task-2945376', '…'));

it('starts a job at each time of its schedule', () => {
  const objects = testObjects();
  expect(settle(objects)).toEqual([[], minuteMs + 100]);
  expect(at(objects, 1)).toEqual([[], minuteMs + 100]);
  const [job] = objects.jobs;
  expect(job).toMatchObject({
    metadata: {
      labels: { app: 'a' },
      annotations: { 'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-01-01T00:01:00Z' },
      ownerReferences: [{ kind: 'CronJob', name: 'task', controller: true }],
    },
    spec: { template },
  });
  expect(job?.metadata.name).toBe(`task-${Date.parse('2026-01-01T00:01:00Z') / minuteMs}`);
  expect(objects.cronJob.status).toEqual({
    active: [{ kind: 'Job', apiVersion: 'batch/v1', namespace: 'ns', name: job?.metadata.name, uid: job?.metadata.uid }],
    lastScheduleTime: '2026-01-01T00:01:00Z',
  });
  expect(at(objects, 1.5)).toEqual([[], minuteMs / 2 + 100]);
  at(objects, 2);
  expect(objects.jobs).toHaveLength(2);
  expect(objects.cronJob.status?.active).toHaveLength(2);
});

it('starts only the last of missed times, and reports many', () => {
  const objects = testObjects();
  expect(at(objects, 200)[0]).toContain('TooManyMissedTimes');
  expect(objects.jobs).toHaveLength(1);
  expect(objects.cronJob.status?.lastScheduleTime).toBe('2026-01-01T03:20:00Z');
  const nightly = testObjects({ schedule: '* 0 * * *' });
  at(nightly, 12 * 60);
  expect(nightly.cronJob.status?.lastScheduleTime).toBe('2026-01-01T00:59:00Z');
});

it('does not start a job after its deadline', () => {
  const objects = testObjects({ schedule: '0 * * * *', startingDeadlineSeconds: 60 });
  expect(at(objects, 62)).toEqual([[], 58 * minuteMs + 100]);
  expect(objects.jobs).toHaveLength(0);
  at(objects, 120.5);
  expect(objects.jobs).toHaveLength(1);
});

it('does not start jobs while it is suspended or deleted, or its schedule or time zone is invalid', () => {
  for (const [spec, reasons] of [
    [{ suspend: true }, []],
    [{ schedule: 'often' }, ['UnparseableSchedule']],
    [{ timeZone: 'Nowhere/City' }, ['UnknownTimeZone']],
  ] as const) {
    const objects = testObjects(spec);
    expect(at(objects, 2)).toEqual([[...reasons], undefined]);
    expect(objects.jobs).toHaveLength(0);
  }
});

it('follows the concurrency policy while a job is active', () => {
  const forbid = testObjects({ concurrencyPolicy: 'Forbid' });
  at(forbid, 1);
  expect(at(forbid, 2)).toEqual([['JobAlreadyActive'], minuteMs + 100]);
  expect(forbid.jobs).toHaveLength(1);
  finish(forbid, forbid.jobs[0], 'Complete');
  expect(settle(forbid)[0]).toContain('SawCompletedJob');
  expect(forbid.jobs).toHaveLength(2);

  const replace = testObjects({ concurrencyPolicy: 'Replace' });
  at(replace, 1);
  const [first] = names(replace);
  expect(at(replace, 2)[0]).toEqual([]);
  expect(replace.jobs).toHaveLength(1);
  expect(names(replace)).not.toContain(first);
  expect(replace.cronJob.status?.active).toHaveLength(1);
});

it('reports finished and missing jobs, and keeps the last few', () => {
  const objects = testObjects({ successfulJobsHistoryLimit: 2, failedJobsHistoryLimit: 1 });
  for (const [minutes, type] of [
    [1, 'Complete'],
    [2, 'Failed'],
    [3, 'Complete'],
    [4, 'Failed'],
    [5, 'Complete'],
  ] as const) {
    at(objects, minutes);
    finish(objects, objects.jobs.at(-1), type);
    expect(settle(objects)[0]).toEqual(['SawCompletedJob']);
  }
  expect(objects.jobs.map(({ status }) => status?.conditions?.[0]?.type)).toEqual(['Complete', 'Failed', 'Complete']);
  expect(objects.cronJob.status).toEqual({ lastScheduleTime: '2026-01-01T00:05:00Z', lastSuccessfulTime: '2026-01-01T00:05:00Z' });
  at(objects, 6);
  const last = objects.jobs.at(-1);
  if (last) objects.write([{ verb: 'delete', object: last }]);
  expect(settle(objects)[0]).toEqual(['MissingJob']);
});

it('writes the time for which it started a job in its time zone', () => {
  const objects = testObjects({ schedule: '0 9 * * *', timeZone: 'Asia/Kolkata' });
  at(objects, 3.5 * 60);
  expect(objects.jobs[0]?.metadata.annotations).toEqual({
    'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-01-01T09:00:00+05:30',
  });
});

it('tries a start again that was refused', () => {
  const objects = testObjects();
  objects.now += minuteMs;
  const { cronJob, jobs, now } = objects;
  const refused = reconcileCronJob({ cronJob, jobs, now, failure: { reason: 'FailedCreate', message: 'no' } });
  objects.write(refused.writes.filter(({ verb }) => verb === 'updateStatus'));
  settle(objects);
  expect(objects.jobs).toHaveLength(1);
});
