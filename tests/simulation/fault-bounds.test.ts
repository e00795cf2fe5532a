import { expect, it } from 'vitest';
import { type Blockage, effectOf, FaultTimes, unblockedMs } from './fault-bounds.js';
import { faultKinds } from './faults.js';

const runtime = (fromMs: number, toMs: number): Blockage => ({ parts: ['runtime'], fromMs, toMs });
const api = (fromMs: number, toMs: number): Blockage => ({ parts: ['api'], fromMs, toMs });

it.each<[string, Blockage[], number]>([
  ['no fault', [], 100],
  ['a fault inside', [runtime(20, 50)], 70],
  ['a fault of another part', [api(20, 50)], 100],
  ['a fault before and a fault after', [runtime(-50, 0), runtime(100, 150)], 100],
  ['faults over both ends', [runtime(-50, 10), runtime(90, 150)], 80],
  ['overlapping faults, the later one first', [runtime(30, 60), runtime(20, 40)], 60],
  ['a fault within another', [runtime(20, 80), runtime(30, 40)], 40],
  ['a fault in force', [runtime(60, Number.POSITIVE_INFINITY)], 60],
  ['a fault all the time', [runtime(-1, 101)], 0],
])('pauses for relevant faults only: %s', (_, blockages, unblocked) => {
  expect(unblockedMs(blockages, { parts: ['runtime', 'agent'] }, 0, 100)).toBe(unblocked);
});

it('lists the parts that each kind of fault blocks', () => {
  for (const { name } of faultKinds) expect(effectOf(name, true).recoveryMs).toBeGreaterThanOrEqual(0);
  expect(effectOf('lost-events', true).parts).toEqual(['runtime events']);
  expect(effectOf('lost-events', false).parts).toEqual([]);
  expect(() => effectOf('unknown', true)).toThrow('unknown');
});

it('pauses until the agent has recovered from a fault', () => {
  const times = new FaultTimes();
  const end = times.begin({ parts: ['api'], recoveryMs: 30 }, 10);
  expect(times.unblockedMs({ parts: ['api'] }, 0, 100)).toBe(10);
  end(20);
  expect(times.unblockedMs({ parts: ['api'] }, 0, 100)).toBe(60);
  expect(times.unblockedMs({ parts: ['runtime'] }, 0, 100)).toBe(100);
});

it('pauses only for the pods that the fault touches', () => {
  const blockages: Blockage[] = [{ ...runtime(20, 50), pods: new Set(['touched']) }];
  const of = (uid?: string) => unblockedMs(blockages, { parts: ['runtime'], uid }, 0, 100);
  expect([of('touched'), of('other'), of()]).toEqual([70, 100, 70]);
});

it('ignores a fault that was not hit', () => {
  const times = new FaultTimes();
  times.begin({ parts: ['runtime'], recoveryMs: 30 }, 10)(20, false);
  expect(times.unblockedMs({ parts: ['runtime'] }, 0, 100)).toBe(100);
});
