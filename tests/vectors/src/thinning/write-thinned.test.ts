import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { reportOf, type Subject } from './report.js';
import { writeThinned } from './write-thinned.js';

const lines = ['line a', 'line b', 'line c'];
const subject: Subject = { file: 'area/rank.jsonl', name: 'area/rank', lines, ids: ['a', 'b', 'c'], kept: [0, 2], seconds: 0 };
const other: Subject = { ...subject, file: 'area/other.jsonl', name: 'area/other', kept: [1] };
const reportFor = (...subjects: Subject[]) => reportOf(subjects, [], { seed: '1', maxMutants: 500 });

describe('writeThinned', () => {
  let dir: string;
  let from: string;
  let to: string;

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'write-thinned-'));
    from = join(dir, 'from');
    to = join(dir, 'to');
    for (const folder of [join(from, 'area'), join(to, 'area')]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(from, 'area', 'companion.json'), '{}');
    writeFileSync(join(to, 'area', 'old.jsonl'), 'old\n');
    writeFileSync(join(to, 'thinning.json'), JSON.stringify({ ...reportFor(), subjects: { 'area/old': { cases: 1, kept: 1 } } }));
  });

  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const read = (path: string) => readFileSync(join(to, path), 'utf8');
  const names = () => Object.keys(JSON.parse(read('thinning.json')).subjects);

  it('replaces the whole set, with companions', () => {
    const bytes = writeThinned({ from, to, only: '*' }, [subject, other], reportFor(subject, other));
    expect(read('area/rank.jsonl')).toBe('line a\nline c\n');
    expect(() => read('area/old.jsonl')).toThrow('ENOENT');
    expect(names()).toEqual(['area/other', 'area/rank']);
    expect(bytes).toBe('line a\nline c\nline b\n{}'.length + read('thinning.json').length);
  });

  it('leaves the files that a pattern excludes, and their entries', () => {
    writeThinned({ from, to, only: 'r*' }, [subject], reportFor(subject));
    expect(read('area/rank.jsonl')).toBe('line a\nline c\n');
    expect(read('area/old.jsonl')).toBe('old\n');
    expect(names()).toEqual(['area/old', 'area/rank']);
  });
});
