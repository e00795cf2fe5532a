import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { describeMutant, functionOf } from './mutant.js';

const file = 'tests/vectors/src/thinning/spread-cases.ts';
const source = readFileSync(new URL('./spread-cases.ts', import.meta.url), 'utf8');

function mutantOf(original: string, replacement: string) {
  const start = source.indexOf(original);
  return { id: '1', file, source, operator: 'Any', start, end: start + original.length, original, replacement };
}

describe('describeMutant', () => {
  it('names file, function, and both codes', () => {
    expect(describeMutant(mutantOf('bytes.length === 0', 'false'))).toBe(
      'tests/vectors/thinning/spread-cases.ts spreadCases: bytes.length === 0 -> false',
    );
  });

  it('shows only the difference of long code', () => {
    const line = source.split('\n').find((each) => each.includes('bytes.indexOf')) ?? '';
    expect(describeMutant(mutantOf(line, line.replace('=== 0', '!== 0')))).toMatch(
      /: ….*bytes\.length === 0.*… -> ….*bytes\.length !== 0.*…$/,
    );
  });
});

describe('functionOf', () => {
  it('names functions and top-level variables', () => {
    expect(functionOf(mutantOf('count >= length', ''))).toBe('evenly');
    expect(functionOf(mutantOf('45_000', ''))).toBe('wantedBytes');
    expect(functionOf({ file, source, start: 0, end: 1 })).toBe('module');
  });
});
