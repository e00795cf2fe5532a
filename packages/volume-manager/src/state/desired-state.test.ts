import type { VolumePlugin } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { podWith } from '../test-harness.js';
import { createDesiredState } from './desired-state.js';

it('returns whether the reported volumes in use have changed', () => {
  const desired = createDesiredState();
  const pod = podWith('web', ['a', 'b']);
  const plugin = { name: 'test.io/any' } as unknown as VolumePlugin;
  const [a = ''] = (pod.spec?.volumes ?? []).map((volume) => {
    const resolved = { spec: { volume, readOnly: false }, plugin, attachable: false, deviceMountable: false };
    return desired.addPodToVolume({ pod, resolved, outerName: volume.name, gid: '', now: 0 });
  });
  expect(desired.markVolumesReportedInUse([])).toBe(false);
  expect(desired.markVolumesReportedInUse([a, 'unknown'])).toBe(true);
  expect(desired.markVolumesReportedInUse([a])).toBe(false);
  expect(desired.volumeToMount('web', a)?.reportedInUse).toBe(true);
  expect(desired.markVolumesReportedInUse([])).toBe(true);
  expect(desired.volumeToMount('web', a)?.reportedInUse).toBe(false);
});
