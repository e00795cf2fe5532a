import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeBase64, encodeBase64 } from './base64.js';
import { decodeUtf8 } from './utf8.js';

it('encodes and decodes as Node does', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (content) => {
      const encoded = Buffer.from(content).toString('base64');
      expect(encodeBase64(content)).toBe(encoded);
      expect([...decodeBase64(encoded)]).toEqual([...content]);
    }),
  );
});

it('keeps a byte order mark and characters of several bytes', () => {
  expect(decodeUtf8(decodeBase64('77u/w6Tigqzwn5mC'))).toBe('\ufeff\u00e4\u20ac\u{1f642}');
});

it('skips line ends, and needs no padding', () => {
  expect(['YWJj\nZGU=\n', 'YWI', '', 'Y'].map((text) => decodeUtf8(decodeBase64(text)))).toEqual(['abcde', 'ab', '', '']);
});
