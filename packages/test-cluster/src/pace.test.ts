import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { keepPace } from './pace.js';

/** Total time that the clock was advanced. */
function movedClock() {
  const clock = {
    moved: 0,
    async advance(ms: number) {
      clock.moved += ms;
    },
  };
  return clock;
}

it('advances virtual time with real time times the speed, until its signal aborts', async () => {
  const [real, virtual] = [createVirtualClock(), movedClock()];
  const end = new AbortController();
  const paced = keepPace(virtual, { speed: 60, signal: end.signal, real });
  await real.advance(1_500);
  expect(virtual.moved).toBe(90_000);
  end.abort();
  await real.run(paced);
  await real.advance(1_000);
  expect(virtual.moved).toBe(90_000);
  expect(real.pending).toBe(0);
});

it('falls behind instead of catching up when a step takes long', async () => {
  const [real, virtual] = [createVirtualClock(), movedClock()];
  const end = new AbortController();
  const slow = { ...real, sleep: (_: number, signal?: AbortSignal) => real.sleep(5_000, signal) };
  const paced = keepPace(virtual, { signal: end.signal, real: slow });
  await real.advance(10_000);
  expect(virtual.moved).toBe(200);
  end.abort();
  await real.run(paced);
});

it('rejects with the error of a timer, and rejects an invalid speed', async () => {
  const real = createVirtualClock();
  const broken = { advance: () => Promise.reject(new Error('a bug')) };
  const { signal } = new AbortController();
  await expect(real.run(keepPace(broken, { signal, real }))).rejects.toThrow('a bug');
  await expect(keepPace(broken, { speed: 0, signal, real })).rejects.toMatchObject({ code: 'InvalidOption', details: { field: 'speed' } });
});
