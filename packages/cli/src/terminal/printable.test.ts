import { expect, it } from 'vitest';
import { printable } from './printable.js';

it('replaces control characters and those of the direction of writing, and keeps all other text', () => {
  expect(printable('a\x1b[31mb\r\nc')).toBe('a [31mb c');
  const directions = [
    '\u061c',
    '\u200e',
    '\u200f',
    '\u202a',
    '\u202b',
    '\u202c',
    '\u202d',
    '\u202e',
    '\u2066',
    '\u2067',
    '\u2068',
    '\u2069',
  ];
  for (const each of directions) expect(printable(`a${each}b`)).toBe('a b');
  expect(printable('naïve שלום 名前 👩‍💻')).toBe('naïve שלום 名前 👩‍💻');
});
