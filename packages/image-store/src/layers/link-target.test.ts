import { expect, it } from 'vitest';
import { createLayerTree } from './layer-tree.js';

it.each([
  ['', 'without a target'],
  ['a\0b', 'with a NUL in its target'],
  ['t'.repeat(4096), 'with a target that is too long'],
])('refuses a link whose target is %j', (target, message) => {
  expect(() => createLayerTree().place({ name: 'a', kind: 'link', linkName: target })).toThrow(
    expect.objectContaining({ code: 'UnsafeLayer', message: expect.stringContaining(message) }),
  );
});
