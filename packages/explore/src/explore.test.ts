import { isApiReason } from '@nodeagent/api';
import { createKubeClient } from '@nodeagent/kube-client';
import { describe, expect, it } from 'vitest';
import type { Controller } from './controller.js';
import { explore, replay } from './explore.js';
import type { ExploreOptions } from './options.js';
import type { Invariant } from './run.js';

const setup = () => {};

/** Creates two ConfigMaps once, the second one only if it created the first one. */
const pair =
  (isSafe: boolean): Controller =>
  async ({ transport, clock, random }) => {
    const { configMaps } = createKubeClient({ transport, clock, random, qps: 0, cluster: { server: 'https://cluster' } });
    const create = (name: string) => configMaps.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name } });
    const exists = (error: unknown) => isApiReason(error, 'AlreadyExists');
    try {
      await create('first');
    } catch (error) {
      if (!isSafe && exists(error)) return;
      if (!exists(error)) throw error;
    }
    await create('second').catch((error) => {
      if (!exists(error)) throw error;
    });
  };
const options = (controller: Controller): ExploreOptions => ({ controller, duration: '2m', cluster: { nodes: 0 } });

describe('explore', () => {
  it('reports the shortest schedule that breaks an invariant, and a test that repeats it', async () => {
    const { failure, schedules } = await explore(setup, options(pair(false)));
    expect(failure?.text).toContain('broken: ends as the undisturbed run\n  - configmaps default/second');
    expect(failure?.text).toContain('schedule: crash@1, seed 1\n  at request 1 create configmaps default: the controller crashes');
    expect(failure?.test).toContain('await replay(setup, { ...options, seed: 1 }, "crash@1")');
    expect(schedules).toBeGreaterThan(1);
    const { broken } = await replay(setup, options(pair(false)), 'crash@1');
    expect(broken).toEqual(failure?.broken);
    expect((await replay(setup, options(pair(true)), 'crash@1')).broken).toEqual([]);
  });

  it('ends when no other schedule can differ', async () => {
    const { exhausted, schedules } = await explore(
      setup,
      options(() => {}),
    );
    expect({ exhausted, schedules }).toEqual({ exhausted: true, schedules: 1 });
  });

  it('passes a controller that is safe', async () => {
    // The 18 single disturbances, then some pairs.
    const { failure, schedules } = await explore(setup, { ...options(pair(true)), schedules: 30 });
    expect({ text: failure?.text, schedules }).toEqual({ text: undefined, schedules: 30 });
  });

  it('gives the same run for the same schedule', async () => {
    const again = async () => (await replay(setup, options(pair(false)), 'lose-answer@1')).run.timeline;
    expect(await again()).toEqual(await again());
  });

  it('checks invariants of the user, also of the undisturbed run', async () => {
    const invariant: Invariant = {
      name: 'at most one',
      check: ({ writes }) => (writes.length > 1 ? `${writes.length} writes` : undefined),
    };
    const { failure, schedules } = await explore(setup, { ...options(pair(true)), invariants: [invariant] });
    expect([schedules, failure?.schedule, failure?.broken]).toEqual([1, [], [{ invariant: 'at most one', message: '2 writes' }]]);
  });

  it('starts a controller again that fails to start', async () => {
    const starts: number[] = [];
    const controller: Controller = async ({ instance }) => {
      starts.push(instance);
      throw new Error('no');
    };
    const { failure } = await explore(setup, options(controller));
    expect(starts.length).toBeGreaterThan(10);
    expect(failure?.broken).toContainEqual({ invariant: 'converges', message: 'the controller does not run: no' });
  });

  it('rejects a controller that uses HTTP without a network', async () => {
    const { failure } = await explore(
      setup,
      options(({ kubeconfig }) => void kubeconfig()),
    );
    expect(failure?.text).toContain('machineNetwork');
  });
});
