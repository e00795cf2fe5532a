import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { followEvents, nextConnectDelay, shouldFallBack } from './event-connection.js';

it('waits a second between connects, and increasingly longer after the fallback', () => {
  const failures = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 50];
  expect(failures.map(nextConnectDelay)).toEqual([
    1_000, 1_000, 1_000, 1_000, 1_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000,
  ]);
  expect(failures.map(shouldFallBack)).toEqual([false, false, false, false, false, true, true, true, true, true, true, true]);
});

describe('followEvents', () => {
  function follow(containerEvents: (signal: AbortSignal) => AsyncIterable<never>, retryUnimplemented = false) {
    const clock = createVirtualClock();
    const log: string[] = [];
    let renewStream = () => {};
    const note = (text: string) => log.push(`${clock.monotonic()} ${text}`);
    const controller = new AbortController();
    const done = followEvents(
      {
        containerEvents,
        clock,
        retryUnimplemented,
        listener: {
          opened: (reopen) => {
            renewStream = reopen;
            note('opened');
          },
          event: () => note('event'),
          proven: () => note('proven'),
          closed: ({ failures, unimplemented, error }) => note(`closed ${failures} ${unimplemented} ${error}`),
          untilRuntimeRestarted: (signal) => clock.sleep(60_000, signal),
        },
      },
      controller.signal,
    );
    const stop = async () => {
      controller.abort(new Error('stop'));
      await done;
    };
    return { clock, log, stop, reopen: () => renewStream() };
  }

  /** A stream that ignores its signal and `return`. */
  const deaf = (): AsyncIterable<never> => ({
    [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}), return: () => new Promise(() => {}) }),
  });

  it('counts a stream that lasts as working, and abandons one that ignores its signal', async () => {
    const { clock, log, stop, reopen } = follow(deaf);
    await clock.advance(10_000);
    reopen();
    await clock.advance(1_000);
    expect(log).toEqual(['0 opened', '10000 proven', '10000 closed 0 false undefined', '11000 opened']);
    await stop();
    expect(clock.pending).toBe(0);
  });

  it('does not count a stream that it closed itself as a failure', async () => {
    const { clock, log, stop, reopen } = follow(deaf);
    await clock.advance(5);
    reopen();
    await clock.settle();
    expect(log).toEqual(['0 opened', '5 closed 0 false undefined']);
    await stop();
  });

  it('survives a source that throws instead of streaming', async () => {
    const { clock, log, stop } = follow(() => {
      throw new Error('no client');
    });
    await clock.advance(1_000);
    expect(log).toEqual(['0 closed 1 false Error: no client', '1000 closed 2 false Error: no client']);
    await stop();
  });

  it.each([
    [false, ['0 closed 1 true CRI_UNIMPLEMENTED', '60000 closed 1 true CRI_UNIMPLEMENTED']],
    [true, ['0 closed 1 false CRI_UNIMPLEMENTED', '1000 closed 2 false CRI_UNIMPLEMENTED', '2000 closed 3 false CRI_UNIMPLEMENTED']],
  ])(
    'asks a runtime without events again only after it was away, unless reported to retryUnimplemented (%s)',
    async (retryUnimplemented, expected) => {
      const { clock, log, stop } = follow(() => {
        throw Object.assign(new Error('unknown method'), { code: 'CRI_UNIMPLEMENTED', toString: () => 'CRI_UNIMPLEMENTED' });
      }, retryUnimplemented);
      await clock.advance(retryUnimplemented ? 2_500 : 65_000);
      expect(log).toEqual(expected);
      await stop();
      expect(clock.pending).toBe(0);
    },
  );
});
