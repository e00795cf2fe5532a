import { expect, it } from 'vitest';
import { printable, printableJson, printableLines } from './printable.js';

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

it('replaces invisible characters, and line ends other than the own', () => {
  for (const each of ['\u00ad', '\u200b', '\u2028', '\u2029', '\u2060', '\u3164', '\ufeff', '\u{e0041}'])
    expect(printable(`a${each}b`)).toBe('a b');
  expect(printableLines('a\x1b[2J\nb\u2028c')).toBe('a [2J\nb c');
});

it('escapes them in JSON, which keeps its value', () => {
  const value = { key: '\x1b \x9b \x7f \u202e \u2028 \u{e0041} 👩‍💻 é' };
  const text = printableJson(value, 2);
  expect(text).toBe('{\n  "key": "\\u001b \\u009b \\u007f \\u202e \\u2028 \\udb40\\udc41 👩‍💻 é"\n}');
  expect(JSON.parse(text)).toEqual(value);
});
