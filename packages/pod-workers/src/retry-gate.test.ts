import type { Pod, PodCache, PodRuntimeStatus } from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createPodWorkers } from './pod-workers.js';
import { type Retries, takeRetry } from './retry-gate.js';

const pod: Pod = { metadata: { uid: 'a', name: 'a', namespace: 'ns' }, spec: { containers: [{ name: 'main', image: 'i' }] } };
const orphan = { uid: 'a', name: 'a', namespace: 'ns', containers: [], sandboxes: [] };
const status: PodRuntimeStatus = {
  ...{ uid: 'a', name: '', namespace: '', ips: [] },
  ...{ containerStatuses: [], activeContainerStatuses: [], sandboxStatuses: [] },
};

/** A pod whose syncs fail; `onFailure` is what each of them causes. */
function failingPod(onFailure: (workers: ReturnType<typeof createPodWorkers>) => void = () => {}) {
  const clock = createVirtualClock();
  const syncs: number[] = [];
  const state = { fails: true };
  const cache: PodCache = { get: () => status, revision: () => 0, getNewerThan: async () => status };
  const fail = async () => {
    syncs.push(clock.monotonic());
    if (syncs.length > 10_000) return new Promise<never>(() => {});
    if (!state.fails) return;
    onFailure(workers);
    throw new Error('runtime is down');
  };
  const workers = createPodWorkers({
    syncer: {
      syncPod: async () => fail().then(() => ({ terminal: false, changed: false })),
      syncTerminatingPod: fail,
      syncTerminatingRuntimePod: fail,
      syncTerminatedPod: async () => {},
    },
    cache,
    clock,
    random: () => 0,
  });
  return { clock, workers, syncs, state };
}

const minuteMs = 60_000;
const event = { type: 'sync', pod, cause: { event: 'ContainerDied' } } as const;

it('ends, if each failed sync causes an event that repeats it', async () => {
  const { clock, workers, syncs } = failingPod((these) => these.updatePod(event));
  workers.updatePod({ type: 'create', pod });
  await clock.advance(10 * minuteMs);
  expect(syncs.filter((at) => at === 0)).toHaveLength(12);
  expect(syncs.length).toBeLessThanOrEqual(12 + 60);
  await workers.stop();
  expect(clock.pending).toBe(0);
});

it('repeats a failed sync at once at the first events, and then once in a back-off period', async () => {
  const { clock, workers, syncs } = failingPod();
  workers.updatePod({ type: 'create', pod });
  await clock.settle();
  for (let at = 0; at < 60; at++) {
    workers.updatePod(event);
    await clock.advance(1_000);
  }
  const rounded = syncs.map(Math.round);
  expect(rounded.slice(0, 12)).toEqual([0, 0, 1_000, 2_000, 3_000, 4_000, 5_000, 6_000, 7_000, 8_000, 9_000, 10_000]);
  expect(rounded.slice(12)).toEqual([20_000, 30_000, 40_000, 50_000]);
});

it('does not delay a change of the pod, nor its kill', async () => {
  const { clock, workers, syncs } = failingPod();
  workers.updatePod({ type: 'create', pod });
  await clock.settle();
  for (let i = 0; i < 20; i++) {
    workers.updatePod(event);
    await clock.settle();
  }
  expect(syncs).toHaveLength(11);
  workers.updatePod({ type: 'update', pod });
  await clock.settle();
  expect(syncs).toHaveLength(12);
  workers.updatePod({ type: 'kill', pod });
  await clock.settle();
  expect(syncs).toHaveLength(13);
});

it('does not delay the events of a pod whose syncs succeed again', async () => {
  const { clock, workers, syncs, state } = failingPod();
  workers.updatePod({ type: 'create', pod });
  await clock.settle();
  for (let i = 0; i < 20; i++) workers.updatePod(event);
  state.fails = false;
  await clock.advance(15_000);
  const before = syncs.length;
  for (let i = 0; i < 20; i++) {
    workers.updatePod(event);
    await clock.settle();
  }
  expect(syncs).toHaveLength(before + 20);
});

it('repeats the kill of a pod that only the runtime knows once in a back-off period, although housekeeping asks each 2 s', async () => {
  const { clock, workers, syncs } = failingPod();
  workers.updatePod({ type: 'kill', runningPod: orphan });
  await clock.settle();
  for (let at = 0; at < 300; at++) {
    workers.syncKnownPods([]);
    await clock.advance(2_000);
  }
  expect(syncs.length).toBeGreaterThan(55);
  expect(syncs.length).toBeLessThanOrEqual(11 + 60);
});

it('takes ten retries, and one more each period', () => {
  let retries: Retries | undefined;
  const take = (now: number) => {
    const { after, waitMs } = takeRetry(retries, now, 10_000);
    retries = after;
    return waitMs;
  };
  expect(Array.from({ length: 11 }, () => take(0))).toEqual([...Array(10).fill(0), 10_000]);
  expect(take(15_000)).toBe(5_000);
  expect(take(1_000_000)).toBe(0);
});
