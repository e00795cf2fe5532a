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

it('advances by a tenth of a second at most, however long a step took', async () => {
  const [real, virtual] = [createVirtualClock(), movedClock()];
  const end = new AbortController();
  const slow = { ...real, sleep: (_: number, signal?: AbortSignal) => real.sleep(5_000, signal) };
  const paced = keepPace(virtual, { signal: end.signal, real: slow });
  await real.advance(10_000);
  expect(virtual.moved).toBe(200);
  end.abort();
  await real.run(paced);
});

it('catches up once steps are short again, but for no more than a minute', async () => {
  for (const [busyMs, lostMs] of [
    [5_000, 0],
    [100_000, 40_000],
  ] as const) {
    const [real, virtual] = [createVirtualClock(), movedClock()];
    const end = new AbortController();
    let sleeps = 0;
    const sleep = (ms: number, signal?: AbortSignal) => real.sleep(sleeps++ === 0 ? busyMs : ms, signal);
    const paced = keepPace(virtual, { signal: end.signal, real: { ...real, sleep } });
    await real.advance(busyMs + 20_000);
    expect(virtual.moved).toBe(busyMs + 20_000 - lostMs);
    end.abort();
    await real.run(paced);
  }
});

it('rejects with the error of a timer, and rejects an invalid speed', async () => {
  const real = createVirtualClock();
  const broken = { advance: () => Promise.reject(new Error('a bug')) };
  const { signal } = new AbortController();
  await expect(real.run(keepPace(broken, { signal, real }))).rejects.toThrow('a bug');
  await expect(keepPace(broken, { speed: 0, signal, real })).rejects.toMatchObject({ code: 'InvalidOption', details: { field: 'speed' } });
});
