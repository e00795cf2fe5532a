import type { Pod, VolumePlugin, VolumeUsage } from '@nodeagent/api';
import { createRecordingLogger, createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createActualState } from '../state/actual-state.js';
import { createDesiredState } from '../state/desired-state.js';
import { podWith } from '../test-harness.js';
import { createPodVolumeStats, measurementPause } from './pod-volume-stats.js';

const full = { capacityBytes: 100n, availableBytes: 60n, usedBytes: 40n, inodes: 10n, inodesFree: 7n, inodesUsed: 3n };
const { signal } = new AbortController();

function setUp(pod: Pod, usages: Parameters<typeof mounted>[1]) {
  const clock = createVirtualClock();
  const logger = createRecordingLogger();
  const measure = createPodVolumeStats(mounted(pod, usages), { clock, logger });
  return { clock, logger, measure: () => measure(pod, signal), measureWith: (own: AbortSignal) => measure(pod, own) };
}

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
  const { measure } = setUp(pod, {
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
  expect(await measure()).toEqual({
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
  const { measureWith } = setUp(pod, { scratch: () => new Promise((_, reject) => controller.signal.addEventListener('abort', reject)) });
  const measuring = measureWith(controller.signal);
  controller.abort(new Error('enough'));
  await expect(measuring).rejects.toThrow('enough');
});

const second = 1_000;
const minute = 60 * second;

it('asks a volume that does not answer once, logs it once, and measures the other volumes meanwhile', async () => {
  const answers: ((usage: VolumeUsage) => void)[] = [];
  let measured = 0n;
  const pod = podWith('web', ['scratch', 'claim:data']);
  const { clock, logger, measure } = setUp(pod, {
    scratch: async () => ({ ...full, usedBytes: ++measured }),
    data: () => new Promise((resolve) => answers.push(resolve)),
  });
  const shown = async () => {
    const { ephemeral, persistent } = await measure();
    return [ephemeral.map(({ usedBytes }) => usedBytes), persistent.map(({ time, usedBytes }) => [time.slice(11, 19), usedBytes])];
  };

  const first = shown();
  await clock.settle();
  answers.shift()?.(full);
  expect(await first).toEqual([[1n], [['00:00:00', 40n]]]);
  await clock.advance(minute);
  const late = shown();
  await clock.advance(30 * second);
  expect(await late).toEqual([[2n], [['00:00:00', 40n]]]);
  for (let pass = 3n; pass < 10n; pass++) {
    await clock.advance(minute);
    expect(await shown()).toEqual([[pass], [['00:00:00', 40n]]]);
  }
  await clock.advance(3 * minute);
  expect(await shown()).toEqual([[10n], []]);
  expect(answers).toHaveLength(1);
  expect(logger.texts().filter((text) => text.includes('does not answer'))).toHaveLength(1);

  answers.shift()?.({ ...full, usedBytes: 50n });
  await clock.settle();
  expect(await shown()).toEqual([[11n], [['00:11:30', 50n]]]);
  expect(logger.texts().filter((text) => text.includes('answers again'))).toHaveLength(1);
});

it('measures a volume less often the longer it takes, and at least every five minutes', async () => {
  const times: number[] = [];
  const { clock, measure } = setUp(podWith('web', ['scratch']), {
    async scratch() {
      times.push(clock.monotonic());
      await clock.sleep(4 * second);
      return full;
    },
  });
  for (let pass = 0; pass < 12; pass++) {
    const measuring = measure();
    await clock.advance(4 * second);
    expect((await measuring).ephemeral).toHaveLength(1);
    await clock.advance(56 * second);
  }
  expect(times.map((time) => (time - (times[0] ?? 0)) / minute)).toEqual([0, 4, 8]);
  expect([1, 1_000, 6_000, 3_600_000].map(measurementPause)).toEqual([50, 50_000, 300_000, 300_000]);
});
