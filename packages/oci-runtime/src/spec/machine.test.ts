import { expect, it } from 'vitest';
import { runtimeVersion } from './machine.js';

it.each([
  ['crun version 1.8.1\ncommit: f8a0\nrundir: /run/crun\nspec: 1.0.0\n+SYSTEMD\n', { name: 'crun', version: '1.8.1', ociVersion: '1.0.0' }],
  ['runc version 1.1.5+ds1\nspec: 1.0.2-dev\ngo: go1.19.8\n', { name: 'runc', version: '1.1.5+ds1', ociVersion: '1.0.2' }],
  ['old version 1\n', { name: 'old', version: '1', ociVersion: '1.0.0' }],
  ['usage: true', undefined],
])('reads a version of the specification', (output, expected) => {
  expect(runtimeVersion(output)).toEqual(expected);
});
