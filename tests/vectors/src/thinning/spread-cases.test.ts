import { describe, expect, it } from 'vitest';
import { evenly, spreadCases } from './spread-cases.js';

const sizes = (count: number, bytes = 10) => Array.from({ length: count }, () => bytes);
const indices = (count: number) => Array.from({ length: count }, (_, i) => i);

describe('spreadCases', () => {
  it('keeps small files whole', () => {
    expect(spreadCases(sizes(40))).toEqual(indices(40));
    expect(spreadCases([])).toEqual([]);
  });

  it('keeps about forty cases from first to last', () => {
    const kept = spreadCases(sizes(1_000));
    expect(kept).toHaveLength(40);
    expect(new Set(kept).size).toBe(40);
    expect([kept[0], kept.at(-1)]).toEqual([0, 999]);
  });

  it('keeps fewer long cases, and at least one', () => {
    expect(spreadCases(sizes(100, 10_000))).toHaveLength(5);
    expect(spreadCases(sizes(100, 4_001))).toHaveLength(11);
    expect(spreadCases([200_001, 200_000, 200_002])).toEqual([1]);
  });
});

describe('evenly', () => {
  it('chooses different indices from the first to the last', () => {
    expect(evenly(10, 4)).toEqual([0, 3, 6, 9]);
    expect(evenly(3, 8)).toEqual([0, 1, 2]);
    expect(evenly(3, 1)).toEqual([0]);
    expect(evenly(0, 3)).toEqual([]);
  });
});
