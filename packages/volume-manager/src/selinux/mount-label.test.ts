import type { Pod, SELinuxOptions } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { seLinuxFileLabel, seLinuxMountLabel } from './mount-label.js';

const defaultLabel = 'system_u:object_r:container_file_t:s0';
const first: SELinuxOptions = { level: 's0:c1,c2' };
const second: SELinuxOptions = { level: 's0:c3,c4' };

function podOf(ofContainers: (SELinuxOptions | undefined)[], ofPod: NonNullable<Pod['spec']>['securityContext'] = {}): Pod {
  const containers = ofContainers.map((seLinuxOptions, index) => ({
    name: `c${index}`,
    image: 'i',
    volumeMounts: [{ name: 'data', mountPath: '/data' }],
    ...(seLinuxOptions && { securityContext: { seLinuxOptions } }),
  }));
  return { spec: { securityContext: ofPod, containers } };
}

const input = (pod: Pod) => ({
  pod,
  volumeName: 'data',
  spec: { persistentVolume: { spec: { accessModes: ['ReadWriteOncePod'] } }, readOnly: false },
  plugin: { supportsSELinuxContext: () => true },
  defaultLabel,
});
const mounted = 'system_u:object_r:container_file_t:s0:c1,c2';

it('mounts with the default file label, with the user and level of the containers but not their type', () => {
  expect(seLinuxFileLabel(first, defaultLabel)).toBe(mounted);
  expect(seLinuxFileLabel({ user: 'u', role: 'r', type: 't', level: 's1' }, defaultLabel)).toBe('u:object_r:container_file_t:s1');
  expect(seLinuxFileLabel({ type: 't' }, defaultLabel)).toBe('');
  expect(seLinuxFileLabel(undefined, defaultLabel)).toBe('');
});

it('uses the label of the containers or of the pod, and rejects containers with different labels', () => {
  expect(seLinuxMountLabel(input(podOf([first, first])))).toBe(mounted);
  expect(seLinuxMountLabel(input(podOf([first, undefined], { seLinuxOptions: first })))).toBe(mounted);
  expect(() => seLinuxMountLabel(input(podOf([first, second])))).toThrow(
    `multiple SELinux labels found: ${mounted}, system_u:object_r:container_file_t:s0:c3,c4`,
  );
});

it('uses no label for volumes with other access modes, for plugins without support, without SELinux, or with the policy Recursive', () => {
  const given = input(podOf([first]));
  const shared = { persistentVolume: { spec: { accessModes: ['ReadWriteOncePod', 'ReadWriteOnce'] } }, readOnly: false };
  expect(seLinuxMountLabel({ ...given, spec: shared })).toBe('');
  expect(seLinuxMountLabel({ ...given, plugin: {} })).toBe('');
  expect(seLinuxMountLabel({ ...given, defaultLabel: undefined })).toBe('');
  expect(seLinuxMountLabel(input(podOf([first, second], { seLinuxChangePolicy: 'Recursive' })))).toBe('');
});
