import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';
import { expect, it } from 'vitest';
import { changedSource } from '../support/source-copy.js';
import { mutants } from './mutants.js';

const read = (file: string) => readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8');

it('has at least 60 mutants with different names', () => {
  expect(mutants.length).toBeGreaterThanOrEqual(60);
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
});

it.each(mutants)('$name: its line occurs once, and the mutated source compiles to other code', (mutant) => {
  const source = read(mutant.file);
  const compile = (text: string) => transformSync(text, { loader: 'ts' }).code;
  expect(compile(changedSource(source, mutant))).not.toBe(compile(source));
});
