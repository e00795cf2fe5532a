import { createChannel, type PodConfigUpdate, type PodLifecycleEvent, type ProbeUpdate } from '@nodeagent/api';
import { createWorkQueue } from '@nodeagent/pod-workers';
import { createRecordingLogger, createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createSyncLoop } from './sync-loop.js';

function setUp() {
  const clock = createVirtualClock();
  const config = createChannel<PodConfigUpdate>(10);
  const podEvents = createChannel<PodLifecycleEvent>(10);
  const probeUpdates = createChannel<ProbeUpdate>(10);
  const workQueue = createWorkQueue({ clock });
  const logger = createRecordingLogger();
  const seen: string[] = [];
  let errors: string[] = [];
  let broken = '';
  let settled = true;
  const note = (what: string) => {
    seen.push(what);
    if (broken === what) throw new Error(`${what} is broken`);
  };
  const loop = createSyncLoop({
    config,
    podEvents,
    probeUpdates,
    workQueue,
    handler: {
      handleConfigUpdate: ({ op }) => note(op),
      handlePodLifecycleEvent: ({ podUid }) => note(`event ${podUid}`),
      handleProbeUpdate: ({ type }) => note(`probe ${type}`),
      syncPods: (uids) => note(`sync ${uids}`),
      housekeeping: async () => {
        note('housekeeping');
        return settled;
      },
    },
    runtimeErrors: () => errors,
    clock,
    logger,
    housekeepingPeriodMs: 2_000,
    idleHousekeepingPeriodMs: 60_000,
  });
  const controller = new AbortController();
  const done = loop.run(controller.signal);
  const take = async (ms = 0) => {
    await clock.advance(ms);
    return seen.splice(0);
  };
  return {
    probeUpdates,
    clock,
    config,
    podEvents,
    workQueue,
    logger,
    loop,
    take,
    setErrors: (next: string[]) => {
      errors = next;
    },
    leave: (something: boolean) => {
      settled = !something;
    },
    breakOn: (what: string) => {
      broken = what;
    },
    async end() {
      controller.abort();
      await done;
      workQueue.stop();
      expect([clock.pending, config.onOffer, podEvents.onOffer, probeUpdates.onOffer]).toEqual([0, undefined, undefined, undefined]);
    },
  };
}

const update = (op: PodConfigUpdate['op']): PodConfigUpdate => ({ op, pods: [], source: 'file' });

it('handles input at once, and runs housekeeping two seconds after the first', async () => {
  const { config, podEvents, probeUpdates, workQueue, take, end } = setUp();
  expect(await take()).toEqual([]);
  probeUpdates.offer({ type: 'Liveness', podUid: 'a', containerId: 'c', result: 'Failure' });
  expect(await take()).toEqual(['probe Liveness']);
  config.offer(update('ADD'));
  podEvents.offer({ podUid: 'a', type: 'PodSync' });
  podEvents.offer({ podUid: 'b', type: 'PodSync' });
  workQueue.enqueue('c', 500);
  expect(await take()).toEqual(['ADD', 'event a', 'event b']);
  expect(await take(501)).toEqual(['sync c']);
  expect(await take(1_500)).toEqual(['housekeeping']);
  await end();
});

it('handles only configuration while the runtime is not ready, and the rest afterwards', async () => {
  const { config, podEvents, workQueue, loop, take, setErrors, end } = setUp();
  setErrors(['down']);
  podEvents.offer({ podUid: 'a', type: 'PodSync' });
  workQueue.enqueue('c', 100);
  config.offer(update('ADD'));
  expect(await take(10_000)).toEqual(['ADD']);
  setErrors([]);
  loop.trigger();
  expect(await take()).toEqual(['event a', 'sync c', 'housekeeping']);
  await end();
});

it('runs housekeeping every minute while idle, and every two seconds while cleanup is pending', async () => {
  const { loop, take, leave, end } = setUp();
  expect(await take(62_000)).toEqual(['housekeeping', 'housekeeping']);
  leave(true);
  expect(await take(60_000)).toEqual(['housekeeping']);
  expect(await take(4_000)).toEqual(['housekeeping', 'housekeeping']);
  leave(false);
  expect(await take(30_000)).toEqual(['housekeeping']);
  loop.scheduleHousekeeping();
  loop.scheduleHousekeeping();
  expect(await take(2_000)).toEqual(['housekeeping']);
  await end();
});

it('runs no housekeeping for the syncs of due pods, whose workers schedule it after a change', async () => {
  const { workQueue, take, end } = setUp();
  expect(await take(10_000)).toEqual(['housekeeping']);
  workQueue.enqueue('c', 0);
  expect(await take(30_000)).toEqual(['sync c']);
  await end();
});

it('runs housekeeping on request', async () => {
  const { loop, take, end } = setUp();
  loop.triggerHousekeeping();
  loop.triggerHousekeeping();
  expect(await take()).toEqual(['housekeeping']);
  await end();
});

it.each(['ADD', 'event a', 'sync c', 'housekeeping'])('continues after a failure of: %s', async (what) => {
  const { config, podEvents, workQueue, logger, take, breakOn, end } = setUp();
  breakOn(what);
  const work = () => {
    config.offer(update('ADD'));
    podEvents.offer({ podUid: 'a', type: 'PodSync' });
    workQueue.enqueue('c', 0);
  };
  work();
  expect((await take(2_000)).sort()).toEqual(['ADD', 'event a', 'housekeeping', 'sync c']);
  expect(logger.texts().some((text) => text.endsWith(`${what} is broken`))).toBe(true);
  work();
  expect((await take(2_000)).sort()).toEqual(['ADD', 'event a', 'housekeeping', 'sync c']);
  await end();
});
