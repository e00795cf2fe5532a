import { describe, expect, it } from 'vitest';
import { countKilled, measureSubject } from './measure-subject.js';
import type { Mutant } from './mutant.js';
import type { MutantRunner } from './mutant-runner.js';

const mutantIn = (file: string, id: string): Mutant => ({
  ...{ id, file, source: '', operator: 'Any', start: 0, end: 1 },
  ...{ original: `original of ${id}`, replacement: '' },
});

/** A runner with given killers of each mutant, which records its requests. */
function fakeRunner(reached: string[][], killers: Record<string, number[]>, atLoad: string[] = [], differing: string[] = []) {
  const asked: Record<string, readonly number[]> = {};
  const runner: MutantRunner = {
    reach: async () => ({ reached, atLoad, differing }),
    async kill(_, mutant, cases, enough) {
      asked[mutant] = cases;
      return { killers: cases.filter((index) => killers[mutant]?.includes(index)).slice(0, enough) };
    },
    stop() {},
  };
  return { runner, asked };
}

const base = { path: 'area/subject.jsonl', bytes: [30, 10, 20], seed: '1', maxMutants: 100 };

describe('measureSubject', () => {
  it('replays with each mutant the cases that reach it, the shortest first', async () => {
    const { runner, asked } = fakeRunner([['a', 'b'], ['a'], ['a']], { a: [0, 2], b: [] });
    const mutants = ['a', 'b', 'c'].map((id) => mutantIn('x.ts', id));
    const measured = await measureSubject({ ...base, runner, mutants });
    expect(asked).toEqual({ a: [1, 2, 0], b: [0] });
    expect(measured).toEqual({
      reached: 2,
      killers: new Map([
        ['a', [2, 0]],
        ['b', []],
      ]),
      hung: 0,
    });
  });

  it('replays with a mutant of a table the cases that reach its file', async () => {
    const { runner, asked } = fakeRunner([['a'], [], ['a', 'other']], {}, ['table', 'otherTable', 'unused']);
    const mutants = [mutantIn('x.ts', 'a'), mutantIn('x.ts', 'table'), mutantIn('y.ts', 'other'), mutantIn('y.ts', 'otherTable')];
    await measureSubject({ ...base, runner, mutants: [...mutants, mutantIn('z.ts', 'unused')] });
    expect(asked).toEqual({ a: [2, 0], table: [2, 0], other: [2], otherTable: [2] });
  });

  it('chooses among many mutants by the seed, the same each time', async () => {
    const ids = Array.from({ length: 50 }, (_, i) => `m${i}`);
    const mutants = ids.map((id) => mutantIn('x.ts', id));
    const triedWith = async (seed: string) => {
      const { runner } = fakeRunner([ids], {});
      const { killers } = await measureSubject({ ...base, runner, mutants, seed, maxMutants: 10 });
      return [...killers.keys()];
    };
    const first = await triedWith('1');
    expect(first).toHaveLength(10);
    expect(await triedWith('1')).toEqual(first);
    expect(await triedWith('2')).not.toEqual(first);
  });

  it('fails if cases differ without any mutant', async () => {
    const { runner } = fakeRunner([['a']], {}, [], ['case-7']);
    await expect(measureSubject({ ...base, runner, mutants: [] })).rejects.toThrow(/1 cases differ without any mutant, such as case-7/);
  });
});

describe('countKilled', () => {
  it('replays the kept cases, known killers first', async () => {
    const { runner, asked } = fakeRunner([], { a: [2], b: [1], c: [0] });
    const killers = new Map([
      ['a', [2]],
      ['b', [0, 1]],
      ['c', [0]],
      ['survivor', []],
    ]);
    expect(await countKilled(runner, base.path, { reached: 4, killers, hung: 0 }, [1, 2])).toBe(2);
    expect(asked).toEqual({ a: [2, 1], b: [1, 2], c: [1, 2] });
  });
});
