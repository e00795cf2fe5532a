import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import type { Clock } from '@nodeagent/api';
import type { Suite } from '../suite/suite.js';

/** A clock under test. */
export interface ClockSubject {
  clock: Clock;
  /** Advances the clock: waits with a real clock, advances a virtual one. */
  advance(ms: number): Promise<void>;
}

/** Real timers may fire this early, by rounding. */
const toleranceMs = 2;
/** The time unit of cases; they use a few of it, so that the suite is fast with a real clock. */
const shortMs = 20;

/** The promises of `Clock` of `@nodeagent/api`. */
export const clockSuite: Suite<ClockSubject> = {
  name: 'Clock',
  cases: [
    {
      name: 'advances wall-clock and monotonic time',
      async run({ clock, advance }) {
        const [wall, monotonic] = [clock.now(), clock.monotonic()];
        assert.ok(Number.isFinite(wall) && Number.isFinite(monotonic));
        await advance(shortMs);
        assert.ok(clock.now() - wall >= shortMs - toleranceMs, 'now() moves');
        assert.ok(clock.monotonic() - monotonic >= shortMs - toleranceMs, 'monotonic() moves');
      },
    },
    {
      name: 'never decreases monotonic time',
      async run({ clock, advance }) {
        let last = clock.monotonic();
        for (let i = 0; i < 1_000; i++) {
          if (i % 250 === 0) await advance(1);
          const next = clock.monotonic();
          assert.ok(next >= last, `${next} after ${last}`);
          last = next;
        }
      },
    },
    {
      name: 'calls back once, not before its time',
      async run({ clock, advance }) {
        const start = clock.monotonic();
        const calls: number[] = [];
        clock.setTimeout(() => calls.push(clock.monotonic() - start), shortMs);
        await advance(4 * shortMs);
        await advance(shortMs);
        assert.equal(calls.length, 1);
        assert.ok((calls[0] ?? 0) >= shortMs - toleranceMs, `called after ${calls[0]} ms`);
      },
    },
    {
      name: 'never calls back synchronously, not even without a delay',
      async run({ clock, advance }) {
        const calls: string[] = [];
        clock.setTimeout(() => calls.push('zero'), 0);
        clock.setTimeout(() => calls.push('negative'), -5);
        assert.deepEqual(calls, []);
        await advance(shortMs);
        assert.deepEqual([...calls].sort(), ['negative', 'zero']);
      },
    },
    {
      name: 'calls back in the order of time, and of setting for the same time',
      async run({ clock, advance }) {
        const calls: string[] = [];
        for (const [name, ms] of [
          ['d', 3],
          ['b', 2],
          ['c', 2],
          ['a', 1],
        ] as const)
          clock.setTimeout(() => calls.push(name), ms * 10);
        await advance(60);
        assert.deepEqual(calls, ['a', 'b', 'c', 'd']);
      },
    },
    {
      name: 'does not call back after a cancel; a late or second cancel does nothing',
      async run({ clock, advance }) {
        const calls: string[] = [];
        const cancelled = clock.setTimeout(() => calls.push('cancelled'), 1);
        const kept = clock.setTimeout(() => calls.push('kept'), 1);
        cancelled.cancel();
        cancelled.cancel();
        await advance(shortMs);
        kept.cancel();
        assert.deepEqual(calls, ['kept']);
      },
    },
    {
      name: 'supports timers of months, longer than native timers',
      async run({ clock, advance }) {
        let called = false;
        const call = () => {
          called = true;
        };
        const timers = [2 ** 31, 90 * 86_400_000, Number.POSITIVE_INFINITY].map((ms) => clock.setTimeout(call, ms));
        await advance(shortMs);
        for (const timer of timers) timer.cancel();
        assert.equal(called, false);
      },
    },
    {
      name: 'sleeps',
      async run({ clock, advance }) {
        const start = clock.monotonic();
        const sleeping = clock.sleep(shortMs).then(() => clock.monotonic() - start);
        await advance(2 * shortMs);
        assert.ok((await sleeping) >= shortMs - toleranceMs);
      },
    },
    {
      name: 'rejects a sleep with the reason of its signal, before and during',
      async run({ clock, advance }) {
        const before = watch(clock.sleep(60_000, AbortSignal.abort('before')));
        const controller = new AbortController();
        const during = watch(clock.sleep(60_000, controller.signal));
        await advance(1);
        assert.equal(during.outcome, 'pending');
        controller.abort('during');
        await advance(shortMs);
        assert.deepEqual([before.outcome, during.outcome], ['rejected: before', 'rejected: during']);
      },
    },
    {
      name: 'leaves no listener on the signal of a sleep that is over',
      async run({ clock, advance }) {
        const { signal } = new AbortController();
        const sleeping = watch(clock.sleep(1, signal));
        assert.equal(getEventListeners(signal, 'abort').length, 1);
        await advance(shortMs);
        assert.equal(sleeping.outcome, 'resolved');
        assert.equal(getEventListeners(signal, 'abort').length, 0);
      },
    },
  ],
};

/** Tracks the outcome of a promise that may never settle. */
function watch(promise: Promise<unknown>): { outcome: string } {
  const watched = { outcome: 'pending' };
  promise.then(
    () => {
      watched.outcome = 'resolved';
    },
    (reason) => {
      watched.outcome = `rejected: ${reason}`;
    },
  );
  return watched;
}
