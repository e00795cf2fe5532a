import { describe, expect, it } from 'vitest';
import { thin } from './thinning.js';

const lines = (count: number, length = 10) => Array.from({ length: count }, (_, i) => `${i}`.padEnd(length, '.'));

describe('thin', () => {
  it('keeps small files whole', () => {
    expect(thin(lines(40))).toEqual(lines(40));
    expect(thin([])).toEqual([]);
  });

  it('keeps about forty cases from first to last', () => {
    const all = lines(1_000);
    const kept = thin(all);
    expect(kept).toHaveLength(40);
    expect(new Set(kept).size).toBe(40);
    expect([kept[0], kept.at(-1)]).toEqual([all[0], all.at(-1)]);
  });

  it('keeps fewer where they are long, and at least one', () => {
    const kept = thin(lines(100, 10_000));
    expect(kept).toHaveLength(5);
    expect(thin(lines(100, 4_000))).toHaveLength(11);
    expect(thin(lines(100, 200_000))).toHaveLength(1);
  });
});
