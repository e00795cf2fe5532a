import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseCases, fillUp } from './choose-cases.js';

const killersOf = (table: Record<string, number[]>) => new Map(Object.entries(table));

describe('chooseCases', () => {
  it('prefers a case that kills many mutants', () => {
    const chosen = chooseCases(killersOf({ a: [0, 2], b: [1, 2], c: [2] }), [10, 10, 10]);
    expect([...chosen]).toEqual([[2, ['a', 'b', 'c']]]);
  });

  it('prefers short cases if they kill as much per byte', () => {
    expect([...chooseCases(killersOf({ a: [0, 1] }), [100, 10]).keys()]).toEqual([1]);
    expect([...chooseCases(killersOf({ a: [0, 2], b: [1, 2] }), [10, 10, 100]).keys()]).toEqual([0, 1]);
  });

  it('drops a case that later ones make redundant', () => {
    const killers = killersOf({ a: [0, 1], b: [0, 1], c: [0, 2], d: [0, 2], e: [1], f: [2] });
    expect([...chooseCases(killers, [10, 10, 10]).keys()].sort()).toEqual([1, 2]);
  });

  it('chooses no case if no mutant is killed', () => {
    expect(chooseCases(new Map(), [10]).size).toBe(0);
  });

  it('kills every mutant, needs each case, and names each mutant once', () => {
    const cases = fc.uniqueArray(fc.integer({ min: 0, max: 9 }), { minLength: 1 });
    const killersAndBytes = fc.tuple(fc.array(cases), fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 10, maxLength: 10 }));
    fc.assert(
      fc.property(killersAndBytes, ([lists, bytes]) => {
        const killers = new Map(lists.map((list, i) => [`m${i}`, list]));
        const chosen = chooseCases(killers, bytes);
        const isKilledBy = (kept: number[]) => [...killers.values()].every((list) => list.some((index) => kept.includes(index)));
        const kept = [...chosen.keys()];
        expect(isKilledBy(kept)).toBe(true);
        for (const index of kept) expect(isKilledBy(kept.filter((other) => other !== index))).toBe(false);
        expect([...chosen.values()].flat().sort()).toEqual([...killers.keys()].sort());
        for (const [index, mutants] of chosen) for (const mutant of mutants) expect(killers.get(mutant)).toContain(index);
      }),
    );
  });
});

describe('fillUp', () => {
  const sizes = (count: number, bytes: number) => Array.from({ length: count }, () => bytes);

  it('adds cases from the whole file up to eight', () => {
    expect(fillUp([50], sizes(100, 10))).toEqual([0, 14, 28, 42, 50, 57, 71, 85]);
    expect(fillUp([1], sizes(5, 10))).toEqual([0, 1, 2, 3, 4]);
    expect(fillUp([0, 14], sizes(100, 10))).toHaveLength(8);
  });

  it('adds none to a large choice', () => {
    expect(fillUp([9, 1, 2, 3, 4, 5, 6, 7], sizes(100, 10))).toEqual([1, 2, 3, 4, 5, 6, 7, 9]);
    expect(fillUp([3], sizes(100, 40_000))).toEqual([3]);
  });

  it('keeps at least one case', () => {
    expect(fillUp([], sizes(3, 100_000))).toEqual([0]);
    expect(fillUp([], [])).toEqual([]);
  });
});
