import { describe, expect, it } from 'vitest';
import { fnv1a32, fnv1a128 } from './fnv.js';

describe('FNV-1a', () => {
  // From the test values of the Internet draft draft-eastlake-fnv.
  it('matches the published hashes', () => {
    expect(['', 'a', 'foobar'].map((text) => fnv1a32(text).toString(16))).toEqual(['811c9dc5', 'e40c292c', 'bf9cf968']);
    expect(fnv1a128('a').toString(16)).toBe('d228cb696f1a8caf78912b704e4a8964');
  });
});
