import { describe, expect, it } from 'vitest';
import { frozenCopy } from './frozen-copy.js';

describe('frozenCopy', () => {
  it('shares nothing with the original and is immutable', () => {
    const original = { labels: { app: 'web' }, sizes: [1n], data: Uint8Array.of(1) };
    const copy = frozenCopy(original);
    original.labels.app = 'changed';
    original.data[0] = 2;
    expect(copy).toEqual({ labels: { app: 'web' }, sizes: [1n], data: Uint8Array.of(1) });
    expect(() => Object.assign(copy.labels, { app: 'changed' })).toThrow(TypeError);
    expect(() => copy.sizes.push(2n)).toThrow(TypeError);
  });
});
