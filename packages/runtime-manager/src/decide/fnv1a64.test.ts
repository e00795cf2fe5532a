import { describe, expect, it } from 'vitest';
import { fnv1a64 } from './fnv1a64.js';

describe('64-bit FNV-1a', () => {
  // From the test values of the Internet draft draft-eastlake-fnv.
  it('matches the published hashes', () => {
    expect(['', 'a', 'foobar'].map((text) => fnv1a64(text).toString(16))).toEqual([
      'cbf29ce484222325',
      'af63dc4c8601ec8c',
      '85944171f73967e8',
    ]);
  });

  it('hashes the UTF-8 bytes, and equals a computation with big integers', () => {
    const plain = (text: string) =>
      [...new TextEncoder().encode(text)].reduce(
        (hash, byte) => ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn,
        0xcbf29ce484222325n,
      );
    for (const text of ['ä€🙂', '\0\u00ff', 'default/web/'.repeat(50)]) expect(fnv1a64(text)).toBe(plain(text));
  });
});
