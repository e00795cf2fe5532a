import { expect, test } from 'vitest';
// @ts-expect-error: a script without declarations
import { declarationOf } from './quoted-declaration.mjs';

const source = `/** Not quoted. */
const first = 1;

/**
 * Adds.
 */
export function add(
  a: number,
  b: number,
): number {
  const sum = a + b;

  return sum;
}

export type Outcome =
  | { ok: true }
  | { ok: false };
export const limit = 3;
/** A table. */
export const table = {
  a: 1,
} as const;
`;

test('quotes a function with its docstring, up to its closing brace', () => {
  expect(declarationOf(source, 'add')).toMatch(/^\/\*\*\n \* Adds[\s\S]*return sum;\n}$/);
});

test('quotes types and constants of one and of several lines', () => {
  expect(declarationOf(source, 'Outcome')).toBe('export type Outcome =\n  | { ok: true }\n  | { ok: false };');
  expect(declarationOf(source, 'limit')).toBe('export const limit = 3;');
  expect(declarationOf(source, 'table')).toBe('/** A table. */\nexport const table = {\n  a: 1,\n} as const;');
});

test('finds only what the file exports', () => {
  expect(declarationOf(source, 'first')).toBeUndefined();
  expect(declarationOf(source, 'absent')).toBeUndefined();
});
