import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { it } from 'vitest';
import { sha256 } from './sha256.js';

it('computes the digest that Node does', () => {
  const text = fc.string({ unit: 'binary', maxLength: 300 });
  fc.assert(fc.property(text, (text) => sha256(text) === createHash('sha256').update(text).digest('hex')));
});
