import { describe, expect, it } from 'vitest';
import { decodeMessage, encodeMessage } from './codec.js';
import { embedded, enumeration, int64, int64s, message, string, stringMap } from './message.js';
import { Reader, rawFields } from './reader.js';
import { Writer } from './writer.js';

describe('messages', () => {
  it('omit fields with default values and skip unknown fields', () => {
    const newer = message({ name: string(1), size: int64(2), extra: string(9) });
    const older = message({ name: string(1) });
    expect(encodeMessage(newer, { name: '', size: 0n }).length).toBe(0);
    expect(decodeMessage(older, encodeMessage(newer, { name: 'a', size: 5n, extra: 'x' }))).toEqual({ name: 'a' });
  });

  it('read repeated numbers packed or one by one', () => {
    const type = message({ ids: int64s(1) });
    expect([...encodeMessage(type, { ids: [0n, 300n] })]).toEqual([0x0a, 3, 0, 0xac, 2]);
    expect(decodeMessage(type, Uint8Array.from([0x08, 0, 0x0a, 2, 1, 2, 0x08, 3]))).toEqual({ ids: [0n, 1n, 2n, 3n] });
  });

  it('are rejected if the bytes are not a message', () => {
    const type = message({ name: string(1), size: int64(2) });
    const whole = encodeMessage(type, { name: 'abc', size: 1n << 40n });
    for (const end of [1, 3, whole.length - 1]) expect(() => decodeMessage(type, whole.subarray(0, end))).toThrow(RangeError);
    expect(() => decodeMessage(type, Uint8Array.from([0x0f]))).toThrow(TypeError);
    expect(() => decodeMessage(type, Uint8Array.from([0x10, ...Array(10).fill(0xff), 1]))).toThrow(RangeError);
  });

  it('are rejected if a message inside is longer or shorter than its last field', () => {
    const type = message({ inner: embedded(1, message({ name: string(1) })) });
    expect(decodeMessage(type, Uint8Array.from([0x0a, 3, 0x0a, 1, 97]))).toEqual({ inner: { name: 'a' } });
    expect(() => decodeMessage(type, Uint8Array.from([0x0a, 2, 0x0a, 1, 97]))).toThrow(RangeError);
    expect(() => decodeMessage(type, Uint8Array.from([0x0a, 4, 0x0a, 1, 97]))).toThrow(RangeError);
  });

  it('keep texts of any length and character, and numbers of 64 bits', () => {
    const type = message({ text: string(1), map: stringMap(2), number: int64(3), inner: embedded(4, message({ text: string(1) })) });
    const text = '\ufeff\u00e9\u{1f600}'.repeat(500);
    const value = { text, map: { a: text, '': '' }, number: -(2n ** 63n), inner: { text } };
    expect(decodeMessage(type, encodeMessage(type, value))).toEqual(value);
  });

  it('refuse names that an enum does not have, and read unknown numbers as the first one', () => {
    const type = message({ state: enumeration(1, ['UNKNOWN', 'READY']) });
    expect(() => encodeMessage(type, { state: 'LOST' as 'READY' })).toThrow('"LOST" is none of UNKNOWN, READY');
    expect(decodeMessage(type, Uint8Array.from([8, 7]))).toEqual({ state: 'UNKNOWN' });
  });
});

describe('the fields of a message of any type', () => {
  it('are numbers and bytes', () => {
    const bytes = Uint8Array.from([8, 0xac, 2, 0x12, 1, 97, 0x1d, 1, 2, 3, 4]);
    expect(rawFields(bytes)).toEqual([
      { number: 1, type: 0, value: 300n },
      { number: 2, type: 2, value: Uint8Array.from([97]) },
      { number: 3, type: 5, value: Uint8Array.from([1, 2, 3, 4]) },
    ]);
  });

  it.each([
    ['a field of number 0', [0, 1]],
    ['a group', [0x0b, 0x0c]],
    ['a number of more than 64 bits', [8, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2]],
    ['a field number of more than 32 bits', [0x88, 0x80, 0x80, 0x80, 0x10, 1]],
    ['a length beyond the end', [0x12, 2, 97]],
  ])('are refused with %s', (_, bytes) => {
    expect(() => rawFields(Uint8Array.from(bytes))).toThrow();
  });
});

describe('the reader and the writer', () => {
  it('keep texts around the size of a length of one byte', () => {
    for (const text of ['', 'a'.repeat(127), 'a'.repeat(128), `${'a'.repeat(126)}\u00e9`, '\u00e9'.repeat(127)]) {
      expect(new Reader(new Writer().string('before').string(text).finish().slice(7)).string()).toBe(text);
    }
  });

  it('write a value again', () => {
    const writer = new Writer().string('first');
    const start = writer.size;
    const again = writer.begin().string('a'.repeat(200)).end().since(start);
    const reader = new Reader(writer.raw(again).finish());
    expect([reader.string(), reader.endOfValue() - reader.position, reader.string()]).toEqual(['first', 202, 'a'.repeat(200)]);
    expect([reader.endOfValue() - reader.position, reader.string(), reader.position]).toEqual([202, 'a'.repeat(200), reader.length]);
  });

  it('keep numbers', () => {
    const writer = new Writer();
    for (const number of [0, 127, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER, -1]) writer.int64(number);
    const reader = new Reader(writer.double(-0.1).double(Number.MAX_VALUE).finish());
    expect([1, 2, 3, 4, 5, 6].map(() => reader.int64())).toEqual([0n, 127n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 53n - 1n, -1n]);
    expect([reader.double(), reader.double()]).toEqual([-0.1, Number.MAX_VALUE]);
    expect(() => reader.double()).toThrow(RangeError);
  });
});
