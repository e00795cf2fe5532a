import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Mutant } from './mutant.js';
import { describeSubject, reportOf, type Subject, survivorLines, totalLines } from './report.js';

const file = 'tests/vectors/src/thinning/spread-cases.ts';
const source = readFileSync(new URL('./spread-cases.ts', import.meta.url), 'utf8');

function mutantOf(id: string, original: string, replacement: string): Mutant {
  const start = source.indexOf(original);
  return { id, file, source, operator: 'Any', start, end: start + original.length, original, replacement };
}

const mutants = [
  mutantOf('1', 'bytes.length === 0', 'false'),
  mutantOf('2', 'count >= length', 'true'),
  mutantOf('3', 'count > 1', 'true'),
];

const subject: Subject = {
  ...{ file: 'area/rank.jsonl', name: 'area/rank', lines: ['line a', 'line b', 'line c'], ids: ['a', 'b', 'c'], kept: [0, 2], seconds: 3 },
  measured: {
    reached: 5,
    killers: new Map([
      ['1', [0, 1]],
      ['2', [0]],
      ['3', []],
    ]),
    hung: 1,
    reasons: new Map([[0, ['1', '2']]]),
    ...{ killedByKept: 2, killedBySpread: 1 },
  },
};
const unmeasured: Subject = { file: 'area/other.jsonl', name: 'area/other', lines: ['line'], ids: ['a'], kept: [0], seconds: 0 };
const report = reportOf([subject, unmeasured], mutants, { seed: '1', maxMutants: 500 });

describe('the report', () => {
  it('lists the kept cases of a subject and their kills', () => {
    expect(describeSubject(subject)).toBe(
      'area/rank: 2 of 3 cases, 1 kB; 3 of 5 mutants, 2 killed, 2 by the kept cases, 1 by an even spread, 1 hung; 3 s',
    );
    expect(describeSubject(unmeasured)).toBe('area/other: 1 of 1 cases, 1 kB, spread evenly: no adapter');
  });

  it('names for each case the mutant with the fewest other killers', () => {
    expect(report.subjects['area/rank']?.keptFor).toEqual({
      a: '2: tests/vectors/thinning/spread-cases.ts evenly: count >= length -> true',
      c: 'fills up',
    });
    expect(report.subjects['area/other']).toEqual({ cases: 1, kept: 1 });
  });

  it('names survivors by their functions', () => {
    expect(totalLines([subject, unmeasured], mutants)).toEqual([
      '3 of 4 cases are kept',
      'mutants killed, counted by subject: 2 of 3 tried by the full set, 2 by the kept cases, 1 by an even spread',
      '1 different mutants survive every subject that reaches them, most of them in:',
      `  1 ${file} spreadCases`,
    ]);
    expect(survivorLines([subject], mutants)).toEqual(['Any tests/vectors/thinning/spread-cases.ts spreadCases: count > 1 -> true']);
  });
});
