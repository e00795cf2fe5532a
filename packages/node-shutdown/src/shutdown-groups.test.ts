import type { Pod, PodSpec } from '@nodeagent/api';
import { configSourceAnnotation } from '@nodeagent/api/helpers';
import { buildPod } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { checkShutdownSettings, shutdownGroups, shutdownPeriods, shutdownSeconds } from './shutdown-groups.js';

it('divides the period between regular and critical pods', () => {
  const periods = shutdownPeriods({ shutdownGracePeriodSeconds: 30, shutdownGracePeriodCriticalPodsSeconds: 10 });
  expect([periods, shutdownSeconds(periods)]).toEqual([
    [
      { priority: 0, shutdownGracePeriodSeconds: 20 },
      { priority: 2_000_000_000, shutdownGracePeriodSeconds: 10 },
    ],
    30,
  ]);
});

it.each([{}, { shutdownGracePeriodSeconds: 5, shutdownGracePeriodCriticalPodsSeconds: 6 }])(
  'has no groups for the settings %o',
  (settings) => {
    expect(shutdownPeriods(settings)).toEqual([]);
    expect(shutdownGroups([], [buildPod({ name: 'p' })])).toEqual([]);
  },
);

it("assigns each pod to the group of its priority, with at most the group's period", () => {
  const periods = shutdownPeriods({
    shutdownGracePeriodByPodPriority: [
      { priority: 1000, shutdownGracePeriodSeconds: 60 },
      { priority: 100, shutdownGracePeriodSeconds: 10 },
    ],
  });
  const pods = [
    buildPod({ name: 'low', priority: -5, terminationGracePeriodSeconds: 3 }),
    buildPod({ name: 'middle', priority: 999 }),
    buildPod({ name: 'high', priority: 1000, terminationGracePeriodSeconds: 600 }),
  ];
  const groups = shutdownGroups(periods, pods);
  expect(
    groups.map((group) => [
      group.priority,
      ...group.pods.map(({ pod, gracePeriodSeconds }) => `${pod.metadata?.name} ${gracePeriodSeconds}`),
    ]),
  ).toEqual([
    [100, 'low 3', 'middle 10'],
    [1000, 'high 60'],
  ]);
});

it('terminates static pods without a priority last, and those with one in the group of their priority', () => {
  const settings = { shutdownGracePeriodSeconds: 30, shutdownGracePeriodCriticalPodsSeconds: 10 };
  const podOf = (source: string, spec: PodSpec): Pod => ({
    metadata: { name: source, annotations: { [configSourceAnnotation]: source } },
    spec,
  });
  const [regular, critical] = shutdownGroups(shutdownPeriods(settings), [
    podOf('file', { containers: [] }),
    podOf('http', { containers: [] }),
    podOf('file', { containers: [], priority: 5 }),
    podOf('api', { containers: [] }),
  ]);
  const pods = (group: typeof regular) => group?.pods.map(({ pod }) => `${pod.metadata?.name} ${pod.spec?.priority ?? 'none'}`);
  expect([pods(regular), pods(critical)]).toEqual([
    ['file 5', 'api none'],
    ['file none', 'http none'],
  ]);
});

it.each([
  [{ shutdownGracePeriodSeconds: -1 }, 'shutdownGracePeriodSeconds'],
  [{ shutdownGracePeriodSeconds: 1, shutdownGracePeriodCriticalPodsSeconds: 2 }, 'shutdownGracePeriodCriticalPodsSeconds'],
  [
    { shutdownGracePeriodByPodPriority: [{ priority: 0, shutdownGracePeriodSeconds: Number.NaN }] },
    'shutdownGracePeriodByPodPriority[0].shutdownGracePeriodSeconds',
  ],
])('refuses the settings %o', (settings, field) => {
  const refusal = (option: string) => expect.objectContaining({ code: 'InvalidOption', details: { field: `${option}.${field}` } });
  expect(() => checkShutdownSettings(settings)).toThrow(refusal('settings'));
  expect(() => checkShutdownSettings(settings, 'shutdown')).toThrow(refusal('shutdown'));
});

it.each([{}, { shutdownGracePeriodSeconds: 5, shutdownGracePeriodCriticalPodsSeconds: 5 }])('accepts the settings %o', (settings) => {
  expect(() => checkShutdownSettings(settings)).not.toThrow();
});
