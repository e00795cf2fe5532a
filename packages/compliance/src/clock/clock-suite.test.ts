import { type Clock, systemClock } from '@nodeagent/api';
import { createVirtualClock, type VirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { defineSuite } from '../suite/define-suite.js';
import { runSuite } from '../suite/run-suite.js';
import { clockSuite } from './clock-suite.js';

describe('the virtual clock keeps the promises of a', () => {
  defineSuite({ describe, it }, clockSuite, () => {
    const clock = createVirtualClock();
    return { subject: { clock, advance: clock.advance } };
  });
});

describe('the system clock keeps the promises of a', () => {
  defineSuite({ describe, it }, clockSuite, () => ({ subject: { clock: systemClock, advance: (ms) => systemClock.sleep(ms) } }));
});

describe('the clock suite', () => {
  const never = { cancel() {} };
  const failures = async (broken: (clock: VirtualClock) => Partial<Clock>) => {
    const results = await runSuite(clockSuite, () => {
      const clock = createVirtualClock();
      return { subject: { clock: { ...clock, ...broken(clock) }, advance: clock.advance } };
    });
    return results.filter(({ error }) => error !== undefined).map(({ name }) => name);
  };

  it.each<[string, (clock: VirtualClock) => Partial<Clock>, RegExp]>([
    ['stands still', () => ({ now: () => 0 }), /advances/],
    ['stops its monotonic time', () => ({ monotonic: () => 0 }), /advances/],
    ['runs backwards', (clock) => ({ monotonic: () => -clock.monotonic() }), /never decreases/],
    ['calls back twice', (clock) => ({ setTimeout: (f, ms) => [1, 2].map(() => clock.setTimeout(f, ms))[0] ?? never }), /once/],
    ['calls back early', (clock) => ({ setTimeout: (f, ms) => clock.setTimeout(f, ms / 2) }), /not before its time/],
    ['calls back at once', (clock) => ({ setTimeout: (f, ms) => (ms > 0 ? clock.setTimeout(f, ms) : (f() ?? never)) }), /synchronously/],
    ['cannot cancel', (clock) => ({ setTimeout: (f, ms) => ({ ...clock.setTimeout(f, ms), ...never }) }), /cancel/],
    ['overflows', (clock) => ({ setTimeout: (f, ms) => clock.setTimeout(f, ms > 2 ** 31 - 1 ? 1 : ms) }), /months/],
    ['keeps its listeners', (clock) => ({ sleep: sleepWithoutCleanup(clock) }), /leaves no listener/],
    ['ignores signals', (clock) => ({ sleep: (ms) => clock.sleep(Math.min(ms, 1)) }), /reason of its signal/],
  ])('notices a clock that %s', async (_, broken, promise) => {
    expect(await failures(broken)).toEqual(expect.arrayContaining([expect.stringMatching(promise)]));
  });
});

/** A sleep whose listener stays on the signal. */
function sleepWithoutCleanup(clock: Clock): Clock['sleep'] {
  return (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) reject(signal.reason);
      signal?.addEventListener('abort', () => reject(signal.reason));
      clock.setTimeout(resolve, ms);
    });
}
