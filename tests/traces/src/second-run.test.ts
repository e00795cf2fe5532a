import { describe, expect, it } from 'vitest';
import { runWhatDiffersAgain } from './second-run.js';

/** Runs `count` scenarios, of which these differ in the first, the second, and each further run. */
async function outcome(count: number, ...differing: readonly (readonly string[])[]) {
  const runs: string[] = [];
  const reported: string[] = [];
  const scenarios = Array.from({ length: count }, (_, index) => ({ name: `s${index}` }));
  const report = (how: string) => (name: string, verdict: { agrees: boolean }) =>
    void reported.push(`${how} ${name} ${verdict.agrees ? 'agrees' : 'differs'}`);
  await runWhatDiffersAgain(
    scenarios,
    12,
    { onVerdict: report('verdict'), onDisturbed: report('disturbed') },
    async (some, lanes, onVerdict) => {
      const differ = differing[runs.length] ?? [];
      runs.push(`${some.map(({ name }) => name).join(' ')} in ${lanes}`);
      for (const { name } of some) onVerdict(name, { agrees: !differ.includes(name), lines: [] });
    },
  );
  return { runs, reported };
}

describe('concurrent scenarios', () => {
  it('run once if all agree', async () => {
    const { runs, reported } = await outcome(2, []);
    expect(runs).toEqual(['s0 s1 in 12']);
    expect(reported).toEqual(['verdict s0 agrees', 'verdict s1 agrees']);
  });

  it('run again alone if some differ, until they have agreed twice or differed twice', async () => {
    const { runs, reported } = await outcome(6, ['s0', 's2', 's3'], ['s2', 's3'], ['s2'], ['s3']);
    expect(runs).toEqual(['s0 s1 s2 s3 s4 s5 in 12', 's0 s2 s3 in 1', 's0 s2 s3 in 1', 's3 in 1']);
    expect(reported).toEqual([
      'verdict s1 agrees',
      'verdict s4 agrees',
      'verdict s5 agrees',
      'disturbed s0 differs',
      'disturbed s2 differs',
      'disturbed s3 differs',
      'verdict s0 agrees',
      'verdict s2 differs',
      'verdict s3 differs',
    ]);
  });

  it('agree if one run alone is disturbed, too', async () => {
    const { runs, reported } = await outcome(2, ['s0'], ['s0']);
    expect(runs).toHaveLength(4);
    expect(reported.at(-1)).toBe('verdict s0 agrees');
  });

  it('do not run again if more than half differ', async () => {
    const { runs, reported } = await outcome(5, ['s0', 's1', 's2']);
    expect(runs).toHaveLength(1);
    expect(reported.filter((line) => line.endsWith('differs'))).toEqual([0, 1, 2].map((index) => `verdict s${index} differs`));
  });

  it('do not run again if there is only one', async () => {
    const { runs, reported } = await outcome(1, ['s0']);
    expect(runs).toHaveLength(1);
    expect(reported).toEqual(['verdict s0 differs']);
  });
});
