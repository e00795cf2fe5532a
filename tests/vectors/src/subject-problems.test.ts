import { describe, expect, it } from 'vitest';
import { adapters } from './adapters/index.js';
import { subjectProblems } from './subject-problems.js';
import { withoutAdapter } from './without-adapter.js';

const files = ['area/double.jsonl', 'area/double.more.jsonl', 'area/hints.jsonl'];
const double = { name: 'double', run: () => undefined, compare: {} };
const fitting = { adapters: [double], withoutAdapter: { hints: 'no package gives hints' } };
const whole = { isWholeSet: true };

describe('subjectProblems', () => {
  it('accepts a set whose subjects each have an adapter or a reason', () => {
    expect(subjectProblems(files, fitting, whole)).toEqual([]);
  });

  it('reports a subject whose adapter was removed, once for all its files', () => {
    expect(subjectProblems(files, { ...fitting, adapters: [] }, whole)).toEqual([
      'double has no adapter: write one, or add the subject to tests/vectors/src/without-adapter.ts with the reason',
    ]);
  });

  it('reports a listed subject that has an adapter, also in a part of a set', () => {
    const both = { ...fitting, adapters: [double, { ...double, name: 'hints' }] };
    const problem = 'hints has an adapter: remove it from tests/vectors/src/without-adapter.ts';
    expect(subjectProblems(files, both, whole)).toEqual([problem]);
    expect(subjectProblems(['area/double.jsonl'], both, { isWholeSet: false })).toEqual([problem]);
  });

  it('reports listed subjects and adapters without a vector file in a whole set only', () => {
    const part = ['area/other.jsonl'];
    const subjects = { ...fitting, withoutAdapter: { ...fitting.withoutAdapter, other: 'no package does the other' } };
    expect(subjectProblems(part, subjects, { isWholeSet: false })).toEqual([]);
    expect(subjectProblems(part, subjects, whole)).toEqual([
      'the adapter of double has no vector file: record one, or remove the adapter',
      'hints has no vector file: remove it from tests/vectors/src/without-adapter.ts',
    ]);
  });

  it('reports a subject of the project itself when its adapter is removed', () => {
    for (const removed of adapters) {
      const left = adapters.filter((adapter) => adapter !== removed);
      expect(subjectProblems([`area/${removed.name}.jsonl`], { adapters: left, withoutAdapter }, { isWholeSet: false })).toHaveLength(1);
    }
  });
});
