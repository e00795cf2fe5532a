import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeBase64 } from './base64.js';

it('decodes what Node encodes', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (content) => {
      const buffer = Buffer.from(content);
      expect(decodeBase64(buffer.toString('base64'))).toBe(buffer.toString());
    }),
  );
});

it('keeps a byte order mark and characters of several bytes', () => {
  expect(decodeBase64('77u/w6Tigqzwn5mC')).toBe('\ufeff\u00e4\u20ac\u{1f642}');
});

it('skips line ends, and needs no padding', () => {
  expect(['YWJj\nZGU=\n', 'YWI', '', 'Y'].map(decodeBase64)).toEqual(['abcde', 'ab', '', '']);
});
