import { expect, it } from 'vitest';
import type { VolumeRoot } from './ownership-files.js';
import { requiresOwnershipChange } from './volume-ownership.js';

const root = (mode: number, gid = 2000): VolumeRoot => ({ kind: 'directory', mode, gid });

it.each([
  ['matches', root(0o2770), false, false],
  ['has another group', root(0o2770, 3000), false, true],
  ['lacks the bit that gives new files the group', root(0o770), false, true],
  ['is not writable by the group', root(0o2750), false, true],
  ['is only readable by the group, as the volume is', root(0o2550), true, false],
  ['cannot be inspected', undefined, false, true],
])('OnRootMismatch, if the root of the volume %s', (_, found, readOnly, changes) => {
  expect(requiresOwnershipChange(2000, 'OnRootMismatch', readOnly, found)).toBe(changes);
});

it('always sets the group with another policy, and never without a group', () => {
  expect(requiresOwnershipChange(2000, 'Always', false, root(0o2770))).toBe(true);
  expect(requiresOwnershipChange(undefined, 'Always', false, root(0o700))).toBe(false);
});
