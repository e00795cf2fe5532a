import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareBytes, compareUtf8, decodeUtf8, encodeUtf8, utf8Length } from './utf8.js';

const text = fc.string({
  unit: fc.oneof(fc.constantFrom('a', '\ufeff', '\ud800', '\u{1f642}'), fc.string({ unit: 'binary', maxLength: 1 })),
});

it('encodes and measures texts as Node does', () => {
  fc.assert(
    fc.property(text, (text) => {
      expect([...encodeUtf8(text)]).toEqual([...Buffer.from(text)]);
      expect(utf8Length(text)).toBe(Buffer.byteLength(text));
    }),
  );
});

it('decodes bytes as Node does', () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => decodeUtf8(bytes) === Buffer.from(bytes).toString()));
  expect(decodeUtf8(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61, 0xff))).toBe('\ufeffa\ufffd');
});

it('orders texts and bytes as Node does', () => {
  fc.assert(
    fc.property(text, text, fc.nat(3), (first, second, shared) => {
      const [a, b] = [first, first.slice(0, shared) + second];
      expect(Math.sign(compareUtf8(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      expect(compareBytes(Buffer.from(a), Buffer.from(a))).toBe(0);
    }),
  );
  expect([compareUtf8('a', 'ab'), compareUtf8('\u{1f642}', '\uffff') > 0]).toEqual([-1, true]);
});
