import { cgroupfsPath, systemdPath } from '@nodeagent/api/helpers';
import { expect, it } from 'vitest';
import { isSystemdPath } from './systemd-path.js';

it('distinguishes the paths of both drivers', () => {
  expect([systemdPath, cgroupfsPath].map((path) => isSystemdPath(path(['kubepods', 'pod1-2'])))).toEqual([true, false]);
});
