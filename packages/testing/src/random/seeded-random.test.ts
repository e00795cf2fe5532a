import { describe, expect, it } from 'vitest';
import { seededRandom } from './seeded-random.js';

const take = (random: () => number, count: number) => Array.from({ length: count }, random);

describe('seeded random', () => {
  it('repeats for a seed and differs between seeds', () => {
    expect(take(seededRandom(42), 5)).toEqual(take(seededRandom(42), 5));
    expect(take(seededRandom(42), 5)).not.toEqual(take(seededRandom(43), 5));
  });

  it('is spread over [0, 1)', () => {
    const buckets = new Array<number>(10).fill(0);
    for (const value of take(seededRandom(1), 10_000)) buckets[Math.floor(value * 10)] = (buckets[Math.floor(value * 10)] ?? 0) + 1;
    expect(buckets).toHaveLength(10);
    for (const count of buckets) expect(count).toBeGreaterThan(850);
  });
});
