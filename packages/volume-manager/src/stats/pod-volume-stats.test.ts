import { type Pod, silentLogger, type VolumePlugin, type VolumeUsage } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { createActualState } from '../state/actual-state.js';
import { createDesiredState } from '../state/desired-state.js';
import { podWith } from '../test-harness.js';
import { measurePodVolumes } from './pod-volume-stats.js';

const full = { capacityBytes: 100n, availableBytes: 60n, usedBytes: 40n, inodes: 10n, inodesFree: 7n, inodesUsed: 3n };
const clock = { now: () => Date.UTC(2026, 0, 1) };
const { signal } = new AbortController();

/** The pod with its volumes mounted, each with the given usage. */
function mounted(pod: Pod, usages: Record<string, (() => Promise<VolumeUsage>) | undefined>) {
  const states = { desired: createDesiredState(), actual: createActualState() };
  const plugin = { name: 'test.io/any', requiresRemount: () => false } as unknown as VolumePlugin;
  for (const volume of pod.spec?.volumes ?? []) {
    const spec = { volume, readOnly: false };
    const resolved = { spec, plugin, attachable: false, deviceMountable: false };
    const volumeName = states.desired.addPodToVolume({ pod, resolved, outerName: volume.name, gid: '', now: 0 });
    states.actual.markVolumeAsAttached(volumeName, resolved, '');
    const usage = usages[volume.name];
    const attributes = { readOnly: false, managed: true, seLinuxRelabel: false };
    const mounter = { path: '', attributes, setUp: async () => {}, ...(usage && { usage }) };
    if (volume.name !== 'late') states.actual.markVolumeAsMounted({ podUid: 'web', volumeName, spec, plugin, mounter });
  }
  return states;
}

it('reports the usage of each volume with its claim, without the volumes that cannot be measured', async () => {
  const pod = podWith('web', ['scratch', 'config:settings', 'claim:data', 'late', 'mute', 'broken']);
  pod.spec?.volumes?.push(
    { name: 'memory', emptyDir: { medium: 'Memory' } },
    { name: 'own', ephemeral: { volumeClaimTemplate: { spec: {} } } },
  );
  const states = mounted(pod, {
    scratch: async () => full,
    settings: async () => full,
    data: async () => ({ ...full, condition: { abnormal: true, message: 'disk is dying' } }),
    late: async () => full,
    broken: () => Promise.reject(new Error('no driver')),
    memory: async () => full,
    own: async () => full,
  });
  const time = '2026-01-01T00:00:00Z';
  const pvcRef = (name: string) => ({ name, namespace: 'ns' });
  expect(await measurePodVolumes(states, pod, { clock, logger: silentLogger, signal })).toEqual({
    ephemeral: [
      { name: 'scratch', time, ...full },
      { name: 'settings', time, ...full },
    ],
    persistent: [
      { name: 'data', time, ...full, pvcRef: pvcRef('data'), volumeHealthStats: { abnormal: true } },
      { name: 'memory', time, ...full },
      { name: 'own', time, ...full, pvcRef: pvcRef('web-own') },
    ],
  });
});

it('stops when its signal aborts', async () => {
  const pod = podWith('web', ['scratch']);
  const controller = new AbortController();
  const states = mounted(pod, { scratch: () => new Promise((_, reject) => controller.signal.addEventListener('abort', reject)) });
  const measuring = measurePodVolumes(states, pod, { clock, logger: silentLogger, signal: controller.signal });
  controller.abort(new Error('enough'));
  await expect(measuring).rejects.toThrow('enough');
});
