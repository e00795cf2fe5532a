import { describe, expect, it } from 'vitest';
import { reconcileJob } from './job.js';
import type { Job } from './objects.js';
import { TestObjects } from './test-objects.js';

function worldOf(spec: Partial<Job['spec']> = {}): TestObjects {
  const world = new TestObjects();
  world.put({
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
  return world;
}

/** Reconciles until nothing changes; returns the time of the next reconcile. */
function settle(world: TestObjects): number | undefined {
  for (let round = 0; round < 20; round += 1) {
    const { writes, againAt } = reconcileJob({ job: world.job, pods: world.pods, now: world.now });
    if (world.write(writes) === 0) return againAt;
    world.runPods();
  }
  throw new Error('does not settle');
}

const active = (world: TestObjects) => world.pods.filter(({ status }) => status?.phase === 'Running');
function end(world: TestObjects, phase: 'Succeeded' | 'Failed'): number | undefined {
  const [pod] = active(world);
  if (pod) world.setPod(pod, phase);
  return settle(world);
}
const conditions = (world: TestObjects) =>
  world.job.status?.conditions?.map(({ type, status, reason }) => `${type}=${status} ${reason}`) ?? [];

describe('reconcileJob', () => {
  it('runs pods up to its parallelism until enough have succeeded', () => {
    const world = worldOf({ completions: 3, parallelism: 2 });
    settle(world);
    expect(active(world)).toHaveLength(2);
    expect(world.job.status).toMatchObject({ startTime: '2026-01-01T00:00:00Z', active: 2, ready: 2, succeeded: 0 });
    end(world, 'Succeeded');
    expect(active(world)).toHaveLength(2);
    end(world, 'Succeeded');
    expect(active(world)).toHaveLength(1);
    world.now += 5_000;
    end(world, 'Succeeded');
    expect(world.job.status).toMatchObject({ active: 0, succeeded: 3, completionTime: '2026-01-01T00:00:05Z' });
    expect(conditions(world)).toEqual(['SuccessCriteriaMet=True CompletionsReached', 'Complete=True CompletionsReached']);
  });

  it('backs off after each failure, and fails after backoffLimit', () => {
    const world = worldOf({ backoffLimit: 1 });
    settle(world);
    expect(end(world, 'Failed')).toBe(world.now + 10_000);
    expect(active(world)).toHaveLength(0);
    world.now += 10_000;
    settle(world);
    expect(active(world)).toHaveLength(1);
    expect(end(world, 'Failed')).toBeUndefined();
    expect(world.job.status).toMatchObject({ failed: 2, active: 0 });
    expect(conditions(world)).toEqual(['FailureTarget=True BackoffLimitExceeded', 'Failed=True BackoffLimitExceeded']);
  });

  it('fails at its deadline, and deletes its pods', () => {
    const world = worldOf({ activeDeadlineSeconds: 30 });
    expect(settle(world)).toBe(world.now + 30_000);
    world.now += 30_000;
    settle(world);
    expect(active(world)).toHaveLength(0);
    expect(conditions(world)).toEqual(['FailureTarget=True DeadlineExceeded', 'Failed=True DeadlineExceeded']);
  });

  it('stops while it is suspended', () => {
    const world = worldOf();
    settle(world);
    const suspend = (value: boolean) => world.put({ ...world.job, spec: { ...world.job.spec, suspend: value } });
    suspend(true);
    settle(world);
    expect(active(world)).toHaveLength(0);
    expect(conditions(world)).toEqual(['Suspended=True JobSuspended']);
    suspend(false);
    settle(world);
    expect(active(world)).toHaveLength(1);
    expect(conditions(world)).toEqual(['Suspended=False JobResumed']);
  });

  it('without completions is done when one pod has succeeded and all have terminated', () => {
    const world = worldOf({ parallelism: 2 });
    const { completions: _, ...spec } = world.job.spec;
    world.put({ ...world.job, spec });
    settle(world);
    end(world, 'Succeeded');
    expect(active(world)).toHaveLength(1);
    expect(conditions(world)).toEqual([]);
    end(world, 'Succeeded');
    expect(conditions(world)).toContain('Complete=True CompletionsReached');
  });

  it('does not change a finished job', () => {
    const world = worldOf();
    settle(world);
    end(world, 'Succeeded');
    expect(reconcileJob({ job: world.job, pods: [], now: world.now })).toEqual({ writes: [] });
  });
});
