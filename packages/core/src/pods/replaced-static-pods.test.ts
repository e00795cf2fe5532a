import { type PodWorkerState, type RuntimePod, silentLogger, type UpdatePodOptions } from '@nodeagent/api';
import { configSourceAnnotation } from '@nodeagent/api/helpers';
import { buildPod } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createReplacedStaticPods } from './replaced-static-pods.js';

const added = buildPod({ name: 'web', uid: 'new', annotations: { [configSourceAnnotation]: 'file' } });
const sandbox = (state: 'running' | 'exited') => ({
  ...{ id: 's', name: '', state, createdAt: 1n, image: '', imageId: '', imageRef: '', hash: '', podSandboxId: 's' },
});
const other = (more: Partial<RuntimePod> = {}): RuntimePod => ({
  ...{ uid: 'old', name: 'web', namespace: 'default', containers: [], sandboxes: [sandbox('running')], configSource: 'file' },
  ...more,
});

function setUp(running: RuntimePod[] | Error, { desired = [] as string[], states = {} as Record<string, PodWorkerState> } = {}) {
  const updates: UpdatePodOptions[] = [];
  const find = createReplacedStaticPods({
    runtime: { getPods: async () => (running instanceof Error ? Promise.reject(running) : running) },
    isDesired: (uid) => desired.includes(uid),
    podWorkers: {
      updatePod: (update) => void updates.push(update),
      state: (uid) => states[uid],
      isPodTerminationRequested: (uid) => states[uid] === 'TerminatingPod',
    },
    logger: silentLogger,
  });
  return { updates, mustWait: async () => (await find([added]))(added) };
}

describe('a new static pod', () => {
  it('waits for the previous version, which is terminated like any pod that only the runtime knows', async () => {
    const { mustWait, updates } = setUp([other()]);
    expect(await mustWait()).toBe(true);
    expect(updates).toEqual([{ type: 'kill', runningPod: other(), killOptions: { gracePeriodOverride: 1 } }]);
  });

  it('waits for a previous version that a worker still runs, which keeps its grace period', async () => {
    const { mustWait, updates } = setUp([other()], { states: { old: 'SyncPod' } });
    expect([await mustWait(), updates]).toEqual([true, [{ type: 'kill', runningPod: other(), killOptions: {} }]]);
  });

  it.each<[string, RuntimePod, Parameters<typeof setUp>[1]]>([
    ['is terminating', other(), { states: { old: 'TerminatingPod' } }],
    ['came from another source, which may not have delivered its pods', other({ configSource: 'http' }), {}],
    ['has no known source', { ...other(), configSource: undefined } as unknown as RuntimePod, {}],
  ])('waits, without another kill, for a pod of its name that %s', async (_what, running, workers) => {
    const { mustWait, updates } = setUp([running], workers);
    expect([await mustWait(), updates]).toEqual([true, []]);
  });

  it.each<[string, RuntimePod, Parameters<typeof setUp>[1]]>([
    ['has another name', other({ name: 'db' }), {}],
    ['is in another namespace', other({ namespace: 'prod' }), {}],
    ['is the pod itself', other({ uid: 'new' }), {}],
    ['has stopped', other({ sandboxes: [sandbox('exited')] }), {}],
    ['is desired', other({ configSource: 'api' }), { desired: ['old'] }],
    ['belongs to the API server', other({ configSource: 'api' }), {}],
  ])('does not wait for a pod that %s', async (_what, running, workers) => {
    const { mustWait, updates } = setUp([running], workers);
    expect([await mustWait(), updates]).toEqual([false, []]);
  });

  it('waits while the runtime cannot be listed', async () => {
    expect(await setUp(new Error('down')).mustWait()).toBe(true);
  });
});
