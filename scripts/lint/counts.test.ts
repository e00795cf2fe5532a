import { describe, expect, it } from 'vitest';
import { countProblems } from './counts.mjs';

const claim = (pattern: RegExp, count: number) => ({ file: 'p.md', pattern, what: 'mutants in lists', count: () => count });

describe('counts', () => {
  it('accepts what is true, in digits and in words, and as a sum', () => {
    expect(countProblems('p.md', 'All 1,806 mutants.', [claim(/All ([\d,]+) mutants/, 1_806)])).toEqual([]);
    expect(countProblems('p.md', 'These nine breaks.', [claim(/These (\w+) breaks/, 9)])).toEqual([]);
    expect(countProblems('p.md', '1 of 3 mutants, 2 are new', [claim(/of (\d+) mutants, (\d+) are new/, 5)])).toEqual([]);
  });

  it('names file, line, the stated and the real number', () => {
    expect(countProblems('p.md', '# Title\n\nAll 4 mutants.', [claim(/All ([\d,]+) mutants/, 5)])).toEqual([
      'p.md:3: states 4 as the number of mutants in lists, of which there are 5',
    ]);
  });

  it('reports a claim that the page does not state any more', () => {
    expect(countProblems('p.md', 'Nothing.', [claim(/All ([\d,]+) mutants/, 5)])[0]).toContain(
      'p.md: states no number of mutants in lists',
    );
  });

  it('reports a count that no claim checks', () => {
    expect(countProblems('p.md', 'one\n12 targets', [])).toEqual(['p.md:2: no claim of scripts/lint/counts.mjs checks "12 targets"']);
  });
});
