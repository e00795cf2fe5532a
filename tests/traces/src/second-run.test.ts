import { describe, expect, it } from 'vitest';
import { runWhatDiffersAgain } from './second-run.js';

/** Runs `count` scenarios, of which these differ in the first run and those in the second. */
async function outcome(count: number, first: readonly string[], second: readonly string[] = []) {
  const runs: string[] = [];
  const told: string[] = [];
  const scenarios = Array.from({ length: count }, (_, index) => ({ name: `s${index}` }));
  const tell = (how: string) => (name: string, verdict: { agrees: boolean }) =>
    void told.push(`${how} ${name} ${verdict.agrees ? 'agrees' : 'differs'}`);
  await runWhatDiffersAgain(
    scenarios,
    12,
    { onVerdict: tell('verdict'), onDisturbed: tell('disturbed') },
    async (some, lanes, onVerdict) => {
      const differ = runs.length === 0 ? first : second;
      runs.push(`${some.map(({ name }) => name).join(' ')} in ${lanes}`);
      for (const { name } of some) onVerdict(name, { agrees: !differ.includes(name), lines: [] });
    },
  );
  return { runs, told };
}

describe('recorded lives side by side', () => {
  it('are run once where all agree', async () => {
    const { runs, told } = await outcome(2, []);
    expect(runs).toEqual(['s0 s1 in 12']);
    expect(told).toEqual(['verdict s0 agrees', 'verdict s1 agrees']);
  });

  it('are run again by themselves where a few differ, and that verdict counts', async () => {
    const { runs, told } = await outcome(3, ['s0', 's2'], ['s2']);
    expect(runs).toEqual(['s0 s1 s2 in 12', 's0 s2 in 1']);
    expect(told).toEqual(['verdict s1 agrees', 'disturbed s0 differs', 'disturbed s2 differs', 'verdict s0 agrees', 'verdict s2 differs']);
  });

  it('are not run again where many differ', async () => {
    const { runs, told } = await outcome(5, ['s0', 's1', 's2', 's3']);
    expect(runs).toHaveLength(1);
    expect(told.filter((line) => line.endsWith('differs'))).toEqual([0, 1, 2, 3].map((index) => `verdict s${index} differs`));
  });

  it('have nobody to be disturbed by where there is one', async () => {
    const { runs, told } = await outcome(1, ['s0']);
    expect(runs).toHaveLength(1);
    expect(told).toEqual(['verdict s0 differs']);
  });
});
