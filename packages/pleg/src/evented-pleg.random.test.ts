import { createVirtualClock, seededRandom } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { findDrift } from './drift.js';
import type { EventedPlegOptions } from './evented-pleg.js';
import type { ContainerStep, EventRuntime } from './test-event-runtime.js';
import { setUpEvented } from './test-harness.js';

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9));
const pods = Array.from({ length: 8 }, (_, i) => `p${i}`);

/** A node whose containers change at random, with a stream that loses, delays, repeats and reorders events. */
function setUp(random: () => number, options: Partial<EventedPlegOptions> = {}) {
  const clock = createVirtualClock();
  const set = setUpEvented(clock, options);
  const { fake } = set;
  const pick = <T>(items: readonly T[]): T | undefined => items[Math.floor(random() * items.length)];
  const nextStep = (id: string): ContainerStep => {
    switch (fake.stateOf(id)) {
      case undefined:
        return random() < 0.5 ? 'created' : 'running';
      case 'created':
        return random() < 0.8 ? 'running' : 'removed';
      case 'running':
        return 'exited';
      default:
        return 'removed';
    }
  };
  let made = 0;
  /** IDs are used once; a removed container does not return. */
  const change = (lossRate: number) => {
    const known = [...fake.states().keys()];
    const id = random() < 0.3 || known.length === 0 ? `${pick(pods)}/c${made++}` : (pick(known) ?? '');
    const step = nextStep(id);
    fake.change(id, step);
    if (random() < lossRate) return;
    const copies = random() < 0.1 ? 2 : 1;
    for (let i = 0; i < copies; i++) clock.setTimeout(() => fake.sendEvent(id, step), random() < 0.3 ? random() * 2_000 : 0);
  };
  const changes = async (count: number, withinMs: number, lossRate: number) => {
    for (let i = 0; i < count; i++) {
      change(lossRate);
      await clock.advance((withinMs / count) * 2 * random());
    }
  };
  const wrong = () => pods.filter((uid) => set.cached(uid) !== fake.expectedStatus(uid));
  return { ...set, clock, changes, wrong };
}

/** Records what the generator has received, to determine which changes a listing shows first. */
function watchListings(fake: EventRuntime) {
  const shown = new Map<string, Awaited<ReturnType<EventRuntime['runtime']['getPods']>>[number]>();
  const { getPod, getPods } = fake.runtime;
  const watched = {
    differences: 0,
    listings: 0,
    runtime: {
      ...fake.runtime,
      async getPods() {
        const listing = await getPods();
        if (watched.listings++ > 0) watched.differences += findDrift(shown.values(), listing).length;
        shown.clear();
        for (const pod of listing) shown.set(pod.uid, pod);
        return listing;
      },
      async getPod(uid: string) {
        const pod = await getPod(uid);
        if (pod) shown.set(uid, pod);
        else shown.delete(uid);
        return pod;
      },
    },
  };
  return watched;
}

describe(`random changes and events (SEED=${seed})`, () => {
  it('leave the cache equal to the state of the runtime once all events have arrived, if none is lost', async () => {
    const random = seededRandom(seed);
    const { clock, pleg, changes, wrong, drift } = setUp(random);
    await pleg.start();
    for (let round = 0; round < 30; round++) {
      await changes(40, 30_000 * random() ** 3, 0);
      // Two seconds until the last event has arrived, one more until containers are inspected that were only created.
      await clock.advance(3_001);
      expect(wrong()).toEqual([]);
    }
    await clock.advance(600_000);
    expect(drift()).toBe(0);
  });

  it('leave the cache equal to the state of the runtime within the slow relist period, whatever events are lost', async () => {
    const random = seededRandom(seed + 1);
    const { clock, fake, pleg, changes, wrong } = setUp(random);
    await pleg.start();
    for (let round = 0; round < 20; round++) {
      let failing = true;
      fake.intercept = async () => {
        if (failing && random() < 0.1) throw new Error('failed at random');
        if (random() < 0.2) await clock.sleep(random() * 500);
      };
      await changes(40, 60_000 * random(), random());
      if (random() < 0.3) fake.endStreams(random() < 0.5 ? undefined : new Error('connection reset'));
      failing = false;
      await clock.advance(310_000);
      expect(wrong()).toEqual([]);
    }
  });

  it('count exactly the changes that only a relist has found as drift', async () => {
    const random = seededRandom(seed + 2);
    const period = { relistPeriodMs: 60_000, eventedRelistPeriodMs: 60_000 };
    const watched: { current?: ReturnType<typeof watchListings> } = {};
    const { clock, fake, pleg, changes, wrong, drift } = setUp(random, {
      ...period,
      runtime: {
        getPods: async () => (watched.current ? watched.current.runtime.getPods() : []),
        getPod: async (uid) => watched.current?.runtime.getPod(uid),
        getPodStatus: async (pod) => fake.runtime.getPodStatus(pod),
      },
    });
    watched.current = watchListings(fake);
    await pleg.start();
    await clock.advance(10_000);
    for (let round = 0; round < 20; round++) {
      await changes(20, 10_000, random() * 0.5);
      const { listings } = watched.current;
      await clock.until(() => (watched.current?.listings ?? 0) > listings);
      await clock.advance(10_000);
      expect(wrong()).toEqual([]);
      expect(drift()).toBe(watched.current.differences);
    }
    expect(drift()).toBeGreaterThan(10);
  });
});
