import { expect, it } from 'vitest';
import { ociRuntimeFeatures, ociRuntimeVersion } from './machine.js';

it.each([
  ['crun version 1.8.1\ncommit: f8a0\nrundir: /run/crun\nspec: 1.0.0\n+SYSTEMD\n', { name: 'crun', version: '1.8.1', ociVersion: '1.0.0' }],
  ['runc version 1.1.5+ds1\nspec: 1.0.2-dev\ngo: go1.19.8\n', { name: 'runc', version: '1.1.5+ds1', ociVersion: '1.0.2' }],
  ['old version 1\n', { name: 'old', version: '1', ociVersion: '1.0.0' }],
  ['usage: true', undefined],
])('reads a version of the specification', (output, expected) => {
  expect(ociRuntimeVersion(output)).toEqual(expected);
});

it.each([
  ['crun', '1.8.1', true, true],
  ['crun', '1.7', false, false],
  ['runc', '1.1.5+ds1', false, true],
  ['runc', '1.2.0', true, true],
  ['runc', '2.0.0-rc.1', true, true],
  ['runsc', 'release-2026', false, false],
])('knows what %s %s does with mounts', (name, version, idMappedMounts, recursiveReadOnlyMounts) => {
  expect(ociRuntimeFeatures({ name, version })).toEqual({ idMappedMounts, recursiveReadOnlyMounts });
});
