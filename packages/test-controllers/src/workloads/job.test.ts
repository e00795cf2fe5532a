import { describe, expect, it } from 'vitest';
import { reconcileJob } from './job.js';
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
});
