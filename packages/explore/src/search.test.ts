import { seededRandom } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { type Schedule, scheduleText } from './disturbance.js';
import { disturbancesAt } from './disturbances-at.js';
import type { Operation } from './operation.js';
import type { Run } from './run.js';
import { Search } from './search.js';

const write = (index: number, status = 201): Operation => ({
  index,
  verb: 'create',
  resource: 'pods',
  at: 0,
  instance: 1,
  anyVersion: false,
  revision: index,
  status,
});
const run = (operations: Operation[], schedule: Schedule = []): Run => ({
  schedule,
  operations,
  deliveries: [],
  writes: [],
  end: [],
  endedAt: 0,
  touches: [],
  timeline: [],
});

it('takes each disturbance alone first, and then those that make a difference together', () => {
  const undisturbed = run([write(1), write(2)]);
  const search = new Search(undisturbed, seededRandom(1));
  const singles = disturbancesAt(undisturbed).length;
  for (let count = 0; count < singles; count++) {
    const schedule = search.next() ?? [];
    expect(schedule).toHaveLength(1);
    // Only crashes change what the controller does.
    search.ran(run([write(1, schedule[0]?.kind === 'crash' ? 500 : 201), write(2)], schedule));
  }
  expect(search.pruned).toBe(singles - 2);
  const pairs = new Set<string>();
  for (let schedule = search.next(); schedule; schedule = search.next()) {
    expect(pairs.has(scheduleText(schedule))).toBe(false);
    pairs.add(scheduleText(schedule));
    search.ran(run([write(1, 500), write(2)], schedule));
  }
  expect(pairs.size).toBeGreaterThan(2);
  expect([...pairs].every((text) => text.startsWith('crash@1+') && /@2(:|$)/.test(text))).toBe(true);
});

it('shares the schedules among several searches', () => {
  const undisturbed = run([write(1), write(2)]);
  const schedulesOf = (share: { index: number; count: number }) => {
    const search = new Search(undisturbed, seededRandom(1), share);
    const taken: string[] = [];
    for (let schedule = search.next(); schedule; schedule = search.next()) {
      taken.push(scheduleText(schedule));
      search.ran(run([write(1, 500), write(2)], schedule));
    }
    return taken;
  };
  const all = schedulesOf({ index: 0, count: 1 });
  const shares = [0, 1, 2].flatMap((index) => schedulesOf({ index, count: 3 }));
  expect(shares.toSorted()).toEqual(all.toSorted());
});
