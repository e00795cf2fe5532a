import { expect, it } from 'vitest';
import { rewriteSpreads } from './spread-into-empty.mjs';

const copied = 'return { ...{}, ...object, field: 1 };';

it('copies into an empty object what other fields follow', () => {
  expect(rewriteSpreads('export const f = (object) => { return { ...object, field: 1 }; };')).toContain(copied);
  expect(rewriteSpreads('const a = { ...b, c: { ...d, e } };\n')).toBe('const a = { ...{}, ...b, c: { ...{}, ...d, e } };\n');
});

it('keeps copies, patterns, calls, arrays and texts', () => {
  for (const text of [
    'const a = { ...b };',
    'const a = { b, ...c };',
    'const { ...rest } = a;',
    'const { b, ...rest } = a;',
    'f(...a, b);',
    'const a = [...b, c];',
    'const a = "{ ...b, c }";',
    '#!/usr/bin/env node\nconst a = { ...b };',
  ]) {
    expect(rewriteSpreads(text)).toBe(text);
  }
});
