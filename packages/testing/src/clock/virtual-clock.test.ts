import { describe, expect, it } from 'vitest';
import { seededRandom } from '../random/seeded-random.js';
import { createVirtualClock } from './virtual-clock.js';

describe('virtual clock', () => {
  it('advances only by a call', async () => {
    const clock = createVirtualClock({ start: 1_000 });
    let fired = false;
    clock.setTimeout(() => {
      fired = true;
    }, 10);
    await clock.advance(9);
    expect([clock.now(), clock.monotonic(), fired]).toEqual([1_009, 9, false]);
    await clock.advance(1);
    expect([clock.now(), clock.monotonic(), fired]).toEqual([1_010, 10, true]);
  });

  it('returns wall-clock time in whole milliseconds', async () => {
    const clock = createVirtualClock({ start: 1_000 });
    await clock.advance(10.7);
    expect([clock.now(), clock.monotonic()]).toEqual([1_010, 10.7]);
  });

  it('fires by time, then by order of setting, at their own time', async () => {
    const clock = createVirtualClock({ start: 0 });
    const log: string[] = [];
    for (const [name, ms] of [
      ['c', 30],
      ['a', 10],
      ['b1', 20],
      ['b2', 20],
      ['now', -5],
    ] as const) {
      clock.setTimeout(() => log.push(`${name}@${clock.now()}`), ms);
    }
    expect(log).toEqual([]);
    await clock.advance(100);
    expect(log).toEqual(['now@0', 'a@10', 'b1@20', 'b2@20', 'c@30']);
    expect(clock.now()).toBe(100);
  });

  it('settles the promises of one timer before it fires the next', async () => {
    const clock = createVirtualClock();
    const log: string[] = [];
    clock.sleep(10).then(async () => {
      for (let i = 0; i < 50; i++) await undefined;
      log.push('first, after fifty turns');
    });
    clock.setTimeout(() => log.push('second'), 10);
    await clock.advance(10);
    expect(log).toEqual(['first, after fifty turns', 'second']);
  });

  it('fires timers that were set during an advance', async () => {
    const clock = createVirtualClock({ start: 0 });
    const ticks: number[] = [];
    const tick = () => {
      ticks.push(clock.now());
      clock.setTimeout(tick, 10);
    };
    clock.setTimeout(tick, 10);
    await clock.advance(45);
    expect(ticks).toEqual([10, 20, 30, 40]);
    expect(clock.pending).toBe(1);
  });

  it('cancels, twice and after firing without harm', async () => {
    const clock = createVirtualClock();
    const log: string[] = [];
    const cancelled = clock.setTimeout(() => log.push('cancelled'), 5);
    const fired = clock.setTimeout(() => log.push('fired'), 5);
    cancelled.cancel();
    cancelled.cancel();
    expect(clock.pending).toBe(1);
    await clock.advance(5);
    fired.cancel();
    expect(log).toEqual(['fired']);
    expect(clock.pending).toBe(0);
  });

  it('rejects a sleep whose signal aborts, before, during and not after', async () => {
    const clock = createVirtualClock();
    await expect(clock.sleep(5, AbortSignal.abort(new Error('before')))).rejects.toThrow('before');

    const during = new AbortController();
    const sleeping = clock.sleep(5, during.signal);
    during.abort(new Error('during'));
    await expect(sleeping).rejects.toThrow('during');
    expect(clock.pending).toBe(0);

    const after = new AbortController();
    const slept = clock.sleep(5, after.signal);
    await clock.advance(5);
    after.abort(new Error('after'));
    await expect(slept).resolves.toBeUndefined();
  });

  it('advances until a condition holds and no further', async () => {
    const clock = createVirtualClock({ start: 0 });
    let count = 0;
    const tick = () => {
      count++;
      clock.setTimeout(tick, 100);
    };
    tick();
    await clock.until(() => count === 4);
    expect(clock.now()).toBe(300);
    await expect(clock.until(() => false, 1_000)).rejects.toThrow('after 1000 ms');
    expect(clock.now()).toBe(1_300);
  });

  it('rejects if no timer is left before a condition holds', async () => {
    await expect(createVirtualClock().until(() => false)).rejects.toThrow('no timer is pending');
  });

  it('runs a promise until it settles, fulfilled or rejected', async () => {
    const clock = createVirtualClock({ start: 0 });
    const work = async () => {
      await clock.sleep(1_000);
      await clock.sleep(500);
      return 'done';
    };
    await expect(clock.run(work())).resolves.toBe('done');
    expect(clock.now()).toBe(1_500);
    await expect(clock.run(Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });

  it('advances timer by timer', async () => {
    const clock = createVirtualClock({ start: 0 });
    clock.setTimeout(() => {}, 7);
    expect(await clock.advanceToNext()).toBe(true);
    expect(clock.now()).toBe(7);
    expect(await clock.advanceToNext()).toBe(false);
  });

  it('shifts only the wall clock', async () => {
    const clock = createVirtualClock({ start: 1_000 });
    let firedAt: number | undefined;
    clock.setTimeout(() => {
      firedAt = clock.now();
    }, 10);
    clock.jump(-500);
    expect([clock.now(), clock.monotonic(), firedAt]).toEqual([500, 0, undefined]);
    await clock.advance(10);
    expect([firedAt, clock.monotonic()]).toEqual([510, 10]);
  });

  it('is the same each time', async () => {
    const run = async () => {
      const clock = createVirtualClock();
      const random = seededRandom(7);
      const log: string[] = [];
      const worker = async (name: string) => {
        for (let i = 0; i < 20; i++) {
          await clock.sleep(Math.floor(random() * 5));
          log.push(`${name}${i}@${clock.monotonic()}`);
        }
      };
      await clock.run(Promise.all(['a', 'b', 'c'].map(worker)));
      return log;
    };
    expect(await run()).toEqual(await run());
  });

  it('carries a million timers, most of them cancelled', async () => {
    const clock = createVirtualClock();
    const random = seededRandom(1);
    let fired = 0;
    let last = 0;
    const timers = Array.from({ length: 1_000_000 }, () => {
      const at = Math.floor(random() * 86_400_000);
      return clock.setTimeout(() => {
        fired++;
        if (at < last) throw new Error(`out of order: ${at} after ${last}`);
        last = at;
      }, at);
    });
    for (const [i, timer] of timers.entries()) if (i % 100 !== 0) timer.cancel();
    expect(clock.pending).toBe(10_000);
    await clock.advance(86_400_000);
    expect(fired).toBe(10_000);
  });

  it('rejects with the error of a callback', async () => {
    const clock = createVirtualClock();
    clock.setTimeout(() => {
      throw new Error('a bug in the callback');
    }, 1);
    await expect(clock.advance(1)).rejects.toThrow('a bug in the callback');
  });
});
