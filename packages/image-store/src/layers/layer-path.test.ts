import { expect, it } from 'vitest';
import { layerEntry } from './layer-path.js';

it.each([
  ['./', { kind: 'file', path: '' }],
  ['./usr/bin/', { kind: 'file', path: 'usr/bin' }],
  ['/etc/passwd', { kind: 'file', path: 'etc/passwd' }],
  ['a/.wh.b', { kind: 'whiteout', path: 'a/b' }],
  ['.wh.b', { kind: 'whiteout', path: 'b' }],
  ['a/.wh..wh..opq', { kind: 'opaque', path: 'a' }],
  ['.wh..wh..opq', { kind: 'opaque', path: '' }],
  ['.wh..wh.plnk/1.2', { kind: 'ignored' }],
  ['a/.wh..wh.aufs', { kind: 'ignored' }],
  ['a/.wh.b.wh.c', { kind: 'whiteout', path: 'a/b.wh.c' }],
  ['a/...', { kind: 'file', path: 'a/...' }],
])('understands %s', (name, entry) => expect(layerEntry(name)).toEqual(entry));

it.each([
  ['../etc/passwd', 'has .. in its name'],
  ['a/../../b', 'has .. in its name'],
  ['/..', 'has .. in its name'],
  ['a/.wh...', 'is a whiteout of no file'],
  ['.wh.', 'is a whiteout of no file'],
  ['a/.wh.b/c', 'is in the folder of a whiteout'],
  ['a\0b', 'has a NUL'],
  ['ä'.repeat(128), 'too long'],
  ['d/'.repeat(129), 'more than 128 folders deep'],
])('refuses %s', (name, message) => {
  expect(() => layerEntry(name)).toThrow(expect.objectContaining({ code: 'UnsafeLayer', message: expect.stringContaining(message) }));
});
