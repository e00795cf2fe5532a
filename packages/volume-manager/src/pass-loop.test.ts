import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createPassLoop } from './pass-loop.js';

function setUp(pass: (at: number) => number = () => Number.POSITIVE_INFINITY, before = async () => {}) {
  const clock = createVirtualClock();
  const passes: number[] = [];
  const errors: unknown[] = [];
  const loop = createPassLoop({
    clock,
    before,
    pass() {
      passes.push(clock.monotonic());
      return pass(clock.monotonic());
    },
    onError: (error) => errors.push(error),
  });
  return { clock, passes, errors, loop };
}

describe('passes', () => {
  it('run at the start and when triggered, once for triggers within 10 ms', async () => {
    const { clock, passes, loop } = setUp();
    await loop.start();
    await clock.advance(1000);
    for (let i = 0; i < 5; i++) {
      loop.trigger();
      await clock.advance(1);
    }
    await clock.advance(1000);
    expect(passes).toEqual([0, 1000, 1010]);
    expect(clock.pending).toBe(0);
    await loop.stop();
    loop.trigger();
    await clock.advance(1000);
    expect(passes).toHaveLength(3);
  });

  it('run at the time that the last pass returned', async () => {
    const { clock, passes, loop } = setUp((at) => (at < 2000 ? at + 700 : Number.POSITIVE_INFINITY));
    await loop.start();
    await loop.start();
    await clock.advance(10_000);
    expect(passes).toEqual([0, 700, 1400, 2100]);
    await loop.stop();
  });

  it('continue after a pass that failed', async () => {
    let fails = true;
    const { clock, passes, errors, loop } = setUp(() => {
      if (fails) throw new Error('odd');
      return Number.POSITIVE_INFINITY;
    });
    await loop.start();
    await clock.advance(10);
    fails = false;
    await clock.advance(5000);
    expect([passes, errors]).toEqual([[0, 1000], [new Error('odd')]]);
    await loop.stop();
  });

  it('do not run if the preparation fails; another start retries', async () => {
    let fails = true;
    const { clock, passes, loop } = setUp(undefined, async () => {
      if (fails) throw new Error('no disk');
    });
    await expect(loop.start()).rejects.toThrow('no disk');
    await clock.advance(10);
    fails = false;
    await loop.start();
    await clock.advance(10);
    expect(passes).toHaveLength(1);
    const controller = new AbortController();
    controller.abort(new Error('over'));
    await loop.stop();
    await expect(loop.start(controller.signal)).rejects.toThrow('over');
  });
});
