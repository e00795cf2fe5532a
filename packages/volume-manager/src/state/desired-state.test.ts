import type { VolumePlugin } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { podWith } from '../test-harness.js';
import { createDesiredState } from './desired-state.js';

it('returns whether the reported volumes in use have changed', () => {
  const world = createDesiredState();
  const pod = podWith('web', ['a', 'b']);
  const plugin = { name: 'test.io/any' } as unknown as VolumePlugin;
  const [a = ''] = (pod.spec?.volumes ?? []).map((volume) => {
    const resolved = { spec: { volume, readOnly: false }, plugin, attachable: false, deviceMountable: false };
    return world.addPodToVolume({ pod, resolved, outerName: volume.name, gid: '', now: 0 });
  });
  expect(world.markVolumesReportedInUse([])).toBe(false);
  expect(world.markVolumesReportedInUse([a, 'unknown'])).toBe(true);
  expect(world.markVolumesReportedInUse([a])).toBe(false);
  expect(world.volumeToMount('web', a)?.reportedInUse).toBe(true);
  expect(world.markVolumesReportedInUse([])).toBe(true);
  expect(world.volumeToMount('web', a)?.reportedInUse).toBe(false);
});
