import { describe, expect, it } from 'vitest';
import { type Action, actionsOf, describeAction } from './actions.js';
import { simulateOptions } from './arguments.js';
import { faultKinds } from './faults.js';
import { mutations } from './mutations.js';
import { regressions } from './regressions.js';
import { runSeed } from './run-seed.js';
import { shortestPrefix, withoutIrrelevant } from './shrink.js';

const short = { hours: 0.03, pods: 15 };

it.each([
  ['in memory', 8, 0.01],
  ['with CRI calls over a socket', 9, 0.004],
  ['with API requests over TCP', 11, 0.006],
])('repeats the run of a seed, line by line, %s', async (_, seed, hours) => {
  const run = () => runSeed({ hours, pods: 15, seed, traceLimit: 100_000 });
  const [first, second] = [await run(), await run()];
  expect(first.trace.length).toBeGreaterThan(300);
  expect(second.trace).toEqual(first.trace);
  expect(first.createdPods).toBeGreaterThan(5);
});

it('starts a longer run with the actions of a shorter one', () => {
  const lines = (hours: number) => actionsOf({ ...short, hours, seed: 1 }).map(describeAction);
  const few = lines(0.03);
  expect(lines(0.1).slice(0, few.length)).toEqual(few);
});

describe('an added kind of fault', () => {
  const added = { name: 'added' };
  const timed = (seed: number, kinds?: readonly { name: string }[]) => {
    let atMs = 0;
    return actionsOf({ seed, hours: 1, pods: 15, gapMs: 5_000 }, kinds).map(({ afterMs, ...action }) => {
      atMs += afterMs;
      return { atMs, ...action };
    });
  };
  const isAdded = (action: { do: string; kind?: string }) => action.kind === added.name;

  it.each([
    ['first', [added, ...faultKinds]],
    ['in the middle', [...faultKinds.slice(0, 10), added, ...faultKinds.slice(10)]],
    ['last', [...faultKinds, added]],
  ])('does not change the other actions of each seed: %s', (_, kinds) => {
    for (let seed = 1; seed <= 5; seed++) expect(timed(seed, kinds).filter((action) => !isAdded(action))).toEqual(timed(seed));
  });

  it('is injected as often as each of the others', () => {
    const actions = Array.from({ length: 32 }, (_, seed) => timed(seed, [...faultKinds, added])).flat();
    const faults = actions.filter((action) => action.do === 'fault').length / (faultKinds.length + 1);
    expect(faults).toBeGreaterThan(100);
    expect(actions.filter(isAdded).length / faults).toBeGreaterThan(0.7);
    expect(actions.filter(isAdded).length / faults).toBeLessThan(1.3);
  });
});

it.each(mutations.map((mutation) => [mutation.name, mutation] as const))('finds %s within 200 seeds', async (_, mutation) => {
  let failure: string | undefined;
  const { firstSeed = 1 } = mutation;
  for (let seed = firstSeed; seed < firstSeed + 200 && failure === undefined; seed++) {
    failure = (await runSeed({ hours: 0.04, pods: 15, seed, mutation })).failure?.invariant;
  }
  expect(mutation.foundBy).toContain(failure);
});

it.each(regressions.map((each) => [each.what, each] as const))('regression: %s', async (_, { run }) => {
  expect((await runSeed(run)).failure).toBeUndefined();
});

it('finds the shortest beginning that fails, and its relevant actions', async () => {
  const actions = Array.from({ length: 20 }, (_, i): Action => ({ afterMs: 100, do: 'delete', name: `p${i}` }));
  const fails = async (some: readonly Action[]) =>
    ['p1', 'p3'].every((name) => some.some((action) => action.do === 'delete' && action.name === name));
  const prefix = await shortestPrefix(actions, 20, fails);
  expect(prefix).toEqual(actions.slice(0, 4));
  expect(await withoutIrrelevant(prefix, fails)).toEqual([
    { afterMs: 200, do: 'delete', name: 'p1' },
    { afterMs: 200, do: 'delete', name: 'p3' },
  ]);
});

it.each([
  [['--seeds', '5..1'], '--seeds'],
  [['--seeds', 'all'], '--seeds'],
  [['--hours', '0'], '--hours'],
  [['--gap', '0'], '--gap'],
  [['--fault-gap', '0'], '--fault-gap'],
  [['--mutation', 'none'], '--mutation'],
])('rejects %j', (argv, named) => {
  expect(() => simulateOptions(argv)).toThrow(named);
});
