import type { Pod } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { reconcileJob } from './job.js';
import type { JobBackoff } from './jobs/job-backoff.js';
import type { Job } from './objects.js';
import { TestObjects } from './test-objects.js';

function testObjects(spec: Partial<Job['spec']> = {}): TestObjects {
  const objects = new TestObjects();
  objects.put({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'task', namespace: 'ns', uid: 'j' },
    spec: {
      completions: 1,
      parallelism: 1,
      template: { spec: { containers: [{ name: 'a', image: 'a' }], restartPolicy: 'Never' } },
      ...spec,
    },
  });
  return objects;
}

/** Reconciles until nothing changes; returns the time of the next reconcile. */
function settle(objects: TestObjects): number | undefined {
  for (let round = 0; round < 20; round += 1) {
    const { writes, againAt } = reconcileJob({ job: objects.job, pods: objects.pods, now: objects.now });
    if (objects.write(writes) === 0) return againAt;
    objects.runPods();
  }
  throw new Error('does not settle');
}

const active = (objects: TestObjects) => objects.pods.filter(({ status }) => status?.phase === 'Running');
function end(objects: TestObjects, phase: 'Succeeded' | 'Failed'): number | undefined {
  const [pod] = active(objects);
  if (pod) objects.setPod(pod, phase);
  return settle(objects);
}
const conditions = (objects: TestObjects) =>
  objects.job.status?.conditions?.map(({ type, status, reason }) => `${type}=${status} ${reason}`) ?? [];

describe('reconcileJob', () => {
  it('runs pods up to its parallelism until enough have succeeded', () => {
    const objects = testObjects({ completions: 3, parallelism: 2 });
    settle(objects);
    expect(active(objects)).toHaveLength(2);
    expect(objects.job.status).toMatchObject({ startTime: '2026-01-01T00:00:00Z', active: 2, ready: 2, succeeded: 0 });
    end(objects, 'Succeeded');
    expect(active(objects)).toHaveLength(2);
    end(objects, 'Succeeded');
    expect(active(objects)).toHaveLength(1);
    objects.now += 5_000;
    end(objects, 'Succeeded');
    expect(objects.job.status).toMatchObject({ active: 0, succeeded: 3, completionTime: '2026-01-01T00:00:05Z' });
    expect(conditions(objects)).toEqual(['SuccessCriteriaMet=True CompletionsReached', 'Complete=True CompletionsReached']);
  });

  it('backs off after each failure, and fails after backoffLimit', () => {
    const objects = testObjects({ backoffLimit: 1 });
    settle(objects);
    expect(end(objects, 'Failed')).toBe(objects.now + 10_000);
    expect(active(objects)).toHaveLength(0);
    objects.now += 10_000;
    settle(objects);
    expect(active(objects)).toHaveLength(1);
    expect(end(objects, 'Failed')).toBeUndefined();
    expect(objects.job.status).toMatchObject({ failed: 2, active: 0 });
    expect(conditions(objects)).toEqual(['FailureTarget=True BackoffLimitExceeded', 'Failed=True BackoffLimitExceeded']);
  });

  it('fails at its deadline, and deletes its pods', () => {
    const objects = testObjects({ activeDeadlineSeconds: 30 });
    expect(settle(objects)).toBe(objects.now + 30_000);
    objects.now += 30_000;
    settle(objects);
    expect(active(objects)).toHaveLength(0);
    expect(conditions(objects)).toEqual(['FailureTarget=True DeadlineExceeded', 'Failed=True DeadlineExceeded']);
  });

  it('stops while it is suspended', () => {
    const objects = testObjects();
    settle(objects);
    const suspend = (value: boolean) => objects.put({ ...objects.job, spec: { ...objects.job.spec, suspend: value } });
    suspend(true);
    settle(objects);
    expect(active(objects)).toHaveLength(0);
    expect(conditions(objects)).toEqual(['Suspended=True JobSuspended']);
    suspend(false);
    settle(objects);
    expect(active(objects)).toHaveLength(1);
    expect(conditions(objects)).toEqual(['Suspended=False JobResumed']);
  });

  it('without completions is done when one pod has succeeded and all have terminated', () => {
    const objects = testObjects({ parallelism: 2 });
    const { completions: _, ...spec } = objects.job.spec;
    objects.put({ ...objects.job, spec });
    settle(objects);
    end(objects, 'Succeeded');
    expect(active(objects)).toHaveLength(1);
    expect(conditions(objects)).toEqual([]);
    end(objects, 'Succeeded');
    expect(conditions(objects)).toContain('Complete=True CompletionsReached');
  });

  it('does not change a finished job', () => {
    const objects = testObjects();
    settle(objects);
    end(objects, 'Succeeded');
    expect(reconcileJob({ job: objects.job, pods: [], now: objects.now })).toEqual({ writes: [] });
  });

  it('counts its pods once, although they are deleted later', () => {
    const objects = testObjects({ completions: 2 });
    settle(objects);
    const [pod] = active(objects);
    expect(pod?.metadata?.finalizers).toEqual(['batch.kubernetes.io/job-tracking']);
    end(objects, 'Succeeded');
    const [counted] = objects.pods.filter(({ status }) => status?.phase === 'Succeeded');
    expect(counted?.metadata?.finalizers).toBeUndefined();
    if (counted) objects.write([{ verb: 'delete', object: counted }]);
    settle(objects);
    expect(objects.job.status).toMatchObject({ succeeded: 1, active: 1 });
    end(objects, 'Succeeded');
    expect(conditions(objects)).toContain('Complete=True CompletionsReached');
  });

  it('is failed only once its last pods have terminated', () => {
    const objects = testObjects({ completions: 2, parallelism: 2, backoffLimit: 0 });
    settle(objects);
    const [first, second] = active(objects);
    if (first) objects.setPod(first, 'Failed');
    const { writes } = reconcileJob({ job: objects.job, pods: objects.pods, now: objects.now });
    objects.write(writes.filter(({ verb }) => verb !== 'delete'));
    const left = objects.pods.find(({ metadata }) => metadata?.name === second?.metadata?.name);
    expect(left?.metadata?.finalizers).toBeUndefined();
    if (left) objects.put({ ...left, metadata: { ...left.metadata, deletionTimestamp: '2026-01-01T00:00:30Z' } });
    settle(objects);
    expect(objects.job.status).toMatchObject({ active: 0, terminating: 1, failed: 2 });
    expect(conditions(objects)).toEqual(['FailureTarget=True BackoffLimitExceeded']);
    if (left) objects.write([{ verb: 'delete', object: left }]);
    settle(objects);
    expect(conditions(objects)).toEqual(['FailureTarget=True BackoffLimitExceeded', 'Failed=True BackoffLimitExceeded']);
  });

  it('fails when containers with the policy OnFailure restarted too often', () => {
    const objects = testObjects({ backoffLimit: 2, template: { spec: { containers: [], restartPolicy: 'OnFailure' } } });
    settle(objects);
    const [pod] = active(objects);
    const restarted = (restartCount: number) => [{ name: 'a', restartCount, ready: false, image: 'a', imageID: 'a' }];
    if (pod) objects.put({ ...pod, status: { ...pod.status, containerStatuses: restarted(1) } });
    settle(objects);
    expect(conditions(objects)).toEqual([]);
    if (pod) objects.put({ ...pod, status: { ...pod.status, containerStatuses: restarted(2) } });
    settle(objects);
    expect(conditions(objects)).toContain('Failed=True BackoffLimitExceeded');
  });

  it('leaves jobs of other controllers alone', () => {
    const objects = testObjects({ managedBy: 'example.com/mine' });
    expect(reconcileJob({ job: objects.job, pods: [], now: objects.now })).toEqual({ writes: [] });
    const own = testObjects({ managedBy: 'kubernetes.io/job-controller' });
    settle(own);
    expect(active(own)).toHaveLength(1);
  });

  it('is deleted some time after it is finished', () => {
    const objects = testObjects({ ttlSecondsAfterFinished: 60 });
    settle(objects);
    expect(end(objects, 'Succeeded')).toBe(objects.now + 60_000);
    objects.now += 60_000;
    const { writes } = reconcileJob({ job: objects.job, pods: objects.pods, now: objects.now });
    expect(writes).toEqual([{ verb: 'delete', object: objects.job, propagationPolicy: 'Foreground' }]);
  });

  it('waits for the end of a terminating pod with podReplacementPolicy Failed', () => {
    for (const [podReplacementPolicy, activePods] of [
      ['Failed', 0],
      ['TerminatingOrFailed', 1],
    ] as const) {
      const objects = testObjects({ podReplacementPolicy });
      settle(objects);
      const [pod] = active(objects);
      if (pod) objects.put({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:30Z' } });
      objects.now += 20_000;
      settle(objects);
      expect(objects.job.status).toMatchObject({ active: activePods, terminating: 1, failed: 1 - (activePods ? 0 : 1) });
    }
  });

  it('reports events about its end', () => {
    const objects = testObjects();
    settle(objects);
    for (const pod of active(objects)) objects.setPod(pod, 'Succeeded');
    const { events } = reconcileJob({ job: objects.job, pods: objects.pods, now: objects.now });
    expect(events).toEqual([{ type: 'Normal', reason: 'Completed', message: 'Job completed' }]);
  });
});

describe('an indexed job', () => {
  const indexed = (spec: Partial<Job['spec']> = {}) => testObjects({ completionMode: 'Indexed', completions: 3, parallelism: 3, ...spec });
  const podOf = (objects: TestObjects, index: number) =>
    active(objects).find(({ metadata }) => metadata?.annotations?.['batch.kubernetes.io/job-completion-index'] === String(index));
  function endIndex(objects: TestObjects, index: number, phase: 'Succeeded' | 'Failed', exitCode = 1): void {
    const pod = podOf(objects, index);
    if (pod) {
      objects.setPod(pod, phase);
      const terminated = { exitCode, finishedAt: new Date(objects.now).toISOString().replace('.000Z', 'Z') };
      const status = { name: 'a', restartCount: 0, ready: false, image: 'a', imageID: 'a', state: { terminated } };
      const ended = objects.pods.find(({ metadata }) => metadata?.name === pod.metadata?.name);
      objects.put({ ...ended, status: { ...ended?.status, containerStatuses: [status as never] } });
    }
    objects.now += 3_600_000;
    settle(objects);
  }

  it('runs a pod for each index', () => {
    const objects = indexed();
    settle(objects);
    expect(podOf(objects, 1)).toMatchObject({
      metadata: { generateName: 'task-1-', labels: { 'batch.kubernetes.io/job-completion-index': '1' } },
      spec: {
        hostname: 'task-1',
        containers: [
          {
            env: [
              {
                name: 'JOB_COMPLETION_INDEX',
                valueFrom: { fieldRef: { fieldPath: "metadata.labels['batch.kubernetes.io/job-completion-index']" } },
              },
            ],
          },
        ],
      },
    });
    endIndex(objects, 2, 'Succeeded');
    endIndex(objects, 0, 'Succeeded');
    expect(objects.job.status).toMatchObject({ succeeded: 2, completedIndexes: '0,2' });
    endIndex(objects, 1, 'Failed');
    endIndex(objects, 1, 'Succeeded');
    expect(objects.job.status).toMatchObject({ succeeded: 3, failed: 1, completedIndexes: '0-2' });
    expect(conditions(objects)).toContain('Complete=True CompletionsReached');
  });

  it('tries each index as often as its limit allows', () => {
    const objects = indexed({ backoffLimitPerIndex: 1, backoffLimit: 100 });
    settle(objects);
    endIndex(objects, 0, 'Failed');
    expect(podOf(objects, 0)?.metadata?.annotations).toMatchObject({ 'batch.kubernetes.io/job-index-failure-count': '1' });
    endIndex(objects, 0, 'Failed');
    expect(podOf(objects, 0)).toBeUndefined();
    expect(objects.job.status).toMatchObject({ failedIndexes: '0', failed: 2 });
    endIndex(objects, 1, 'Succeeded');
    endIndex(objects, 2, 'Succeeded');
    expect(conditions(objects)).toContain('Failed=True FailedIndexes');
    expect(objects.job.status).toMatchObject({ completedIndexes: '1,2', failedIndexes: '0', succeeded: 2, failed: 2 });
  });

  it('fails when too many indexes have failed', () => {
    const objects = indexed({ backoffLimitPerIndex: 0, backoffLimit: 100, maxFailedIndexes: 1 });
    settle(objects);
    endIndex(objects, 0, 'Failed');
    expect(conditions(objects)).toEqual([]);
    endIndex(objects, 1, 'Failed');
    expect(conditions(objects)).toContain('Failed=True MaxFailedIndexesExceeded');
    expect(active(objects)).toEqual([]);
  });

  it('follows the rules of its pod failure policy', () => {
    const podFailurePolicy = {
      rules: [
        { action: 'FailJob', onExitCodes: { operator: 'In', values: [3] } },
        { action: 'FailIndex', onExitCodes: { containerName: 'a', operator: 'In', values: [4] } },
        { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] },
      ],
    };
    const objects = indexed({ backoffLimitPerIndex: 5, backoffLimit: 100, podFailurePolicy });
    settle(objects);
    endIndex(objects, 0, 'Failed', 4);
    expect(objects.job.status).toMatchObject({ failedIndexes: '0', failed: 1 });
    const pod = podOf(objects, 1);
    const conditionsOf = [{ type: 'DisruptionTarget', status: 'True' as const }];
    if (pod) objects.put({ ...pod, status: { phase: 'Failed', conditions: conditionsOf } });
    objects.now += 3_600_000;
    settle(objects);
    expect(objects.job.status?.failed).toBe(1);
    expect(podOf(objects, 1)?.metadata?.annotations).toMatchObject({
      'batch.kubernetes.io/job-index-failure-count': '0',
      'batch.kubernetes.io/job-index-ignored-failure-count': '1',
    });
    const name = podOf(objects, 2)?.metadata?.name;
    endIndex(objects, 2, 'Failed', 3);
    expect(objects.job.status?.conditions?.at(-1)).toMatchObject({
      type: 'Failed',
      reason: 'PodFailurePolicy',
      message: `Container a for pod ns/${name} failed with exit code 3 matching FailJob rule at index 0`,
    });
  });

  it('succeeds by its success policy, and stops its other pods', () => {
    const objects = indexed({ successPolicy: { rules: [{ succeededIndexes: '0,2', succeededCount: 1 }] } });
    settle(objects);
    endIndex(objects, 1, 'Succeeded');
    expect(conditions(objects)).toEqual([]);
    endIndex(objects, 2, 'Succeeded');
    expect(conditions(objects)).toEqual(['SuccessCriteriaMet=True SuccessPolicy', 'Complete=True SuccessPolicy']);
    expect(objects.job.status).toMatchObject({ succeeded: 2, failed: 0, completedIndexes: '1,2' });
    expect(objects.job.status?.conditions?.at(-1)?.message).toBe('Matched rules at index 0');
    expect(active(objects)).toEqual([]);
  });

  it('keeps one pod of each index', () => {
    const objects = indexed({ completions: 1, parallelism: 1 });
    settle(objects);
    const [pod] = active(objects);
    if (pod) objects.put({ ...pod, metadata: { ...pod.metadata, name: 'twin', uid: 'twin' } });
    settle(objects);
    expect(active(objects)).toHaveLength(1);
  });
});

it('backs off after the failure of a pod that is deleted, and not after a success', () => {
  const objects = testObjects({ completions: 3, backoffLimit: 6 });
  let backoff: JobBackoff | undefined;
  const step = () => {
    const plan = reconcileJob({ job: objects.job, pods: objects.pods, now: objects.now, ...(backoff && { backoff }) });
    backoff = plan.backoff;
    objects.write(plan.writes);
    return plan.againAt;
  };
  step();
  objects.runPods();
  const [first] = objects.pods;
  objects.setPod(first as Pod, 'Failed');
  expect(step()).toBe(objects.now + 10_000);
  objects.objects.delete(`Pod/${first?.metadata?.name}`);
  expect(step()).toBe(objects.now + 10_000);
  objects.now += 10_000;
  step();
  objects.runPods();
  objects.setPod(objects.pods[0] as Pod, 'Succeeded');
  step();
  expect(active(objects).length + objects.pods.filter(({ status }) => !status?.phase).length).toBe(1);
  expect(backoff).toEqual({ failures: 0, lastFailure: 0 });
});

it('counts only the pods that the server created', () => {
  const objects = testObjects({ completions: 2, parallelism: 2 });
  const { writes } = reconcileJob({ job: objects.job, pods: [], now: objects.now, isCreationRefused: true });
  expect(writes).toMatchObject([{ verb: 'updateStatus', object: { status: { active: 0 } } }]);
});
