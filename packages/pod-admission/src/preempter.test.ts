import type { Pod, PodStatus } from '@nodeagent/api';
import { buildPod, createRecordingLogger, createRecordingRecorder, createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createPreempter, type PreempterOptions } from './preempter.js';
import { preemptionVictims } from './preemption.js';

const guaranteed = (name: string, cpu: string, memory = '1Gi') =>
  buildPod({ name, containers: [{ resources: { limits: { cpu, memory }, requests: { cpu, memory } } }] });
const burstable = (name: string, cpu: string) => buildPod({ name, containers: [{ resources: { requests: { cpu } } }] });
const critical = buildPod({ name: 'critical', priority: 2_000_000_000 });
const otherPods = [burstable('a', '1'), burstable('b', '1')];
const names = (pods: Pod[]) => pods.map(({ metadata }) => metadata?.name);
const cpu = (quantity: string) => [{ resource: 'cpu', quantity }];

it('preempts as few guaranteed pods as possible, and within a class those that fit best', () => {
  const pods = [guaranteed('g', '4'), burstable('b-large', '3'), burstable('b-small', '1'), buildPod({ name: 'best' })];
  expect(names(preemptionVictims(critical, pods, cpu('1')))).toEqual(['b-small']);
  expect(names(preemptionVictims(critical, pods, cpu('3500m')))).toEqual(['b-large', 'b-small']);
  expect(names(preemptionVictims(critical, pods, cpu('5')))).toEqual(['b-small', 'g']);
  expect(names(preemptionVictims(critical, pods, [{ resource: 'pods', quantity: '1' }]))).toEqual(['best']);
  expect(names(preemptionVictims(critical, pods, []))).toEqual([]);
});

it('does not preempt critical pods', () => {
  const other = { ...burstable('system', '4'), spec: { ...burstable('system', '4').spec, priority: 2_000_000_000 } } as Pod;
  expect(() => preemptionVictims(critical, [other], cpu('1m'))).toThrow(
    'no set of running pods found to reclaim resources: [(res: cpu, q: 1), ]',
  );
});

function setUp(killPod: PreempterOptions['killPod']) {
  const recorder = createRecordingRecorder();
  const logger = createRecordingLogger();
  const counted: unknown[] = [];
  const metrics = {
    counter: () => ({ inc: (labels?: object) => void counted.push(labels) }),
    gauge: () => ({ set() {} }),
    histogram: () => ({ observe() {} }),
  };
  return {
    preempt: createPreempter({ killPod, clock: createVirtualClock(), recorder, logger, metrics }),
    recorder,
    logger,
    counted,
  };
}

it('emits an event, kills the pods and counts them', async () => {
  const killed: Pod[] = [];
  const statuses: PodStatus[] = [];
  const { preempt, recorder, counted } = setUp(async (pod, podStatusFunc) => {
    killed.push(pod);
    statuses.push(podStatusFunc({ phase: 'Running' }));
  });
  await preempt({ pod: critical, otherPods }, cpu('2'));
  expect(names(killed).sort()).toEqual(['a', 'b']);
  expect(statuses[0]).toEqual({
    phase: 'Failed',
    reason: 'Preempting',
    message: 'Preempted in order to admit critical pod',
    conditions: [
      {
        ...{ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet', lastTransitionTime: '2026-01-01T00:00:00Z' },
        message: 'Pod was preempted by Kubelet to accommodate a critical pod.',
        observedGeneration: 1,
      },
    ],
  });
  expect(recorder.lines).toEqual(Array(2).fill('Warning Preempting Preempted in order to admit critical pod'));
  expect(counted).toEqual(Array(2).fill({ preemption_signal: 'cpu' }));
});

it('continues after a failed kill, which the pod worker retries', async () => {
  let kills = 0;
  const { preempt, logger, counted } = setUp(async () => {
    if (kills++ === 0) throw new Error('stuck');
  });
  await preempt({ pod: critical, otherPods }, cpu('2'));
  expect([kills, counted.length, logger.messages('error')]).toEqual([2, 1, ['failed to evict a pod for a critical one']]);
});

it('rejects if no pods can be preempted', async () => {
  const { preempt } = setUp(async () => {});
  await expect(preempt({ pod: critical, otherPods: [] }, cpu('5m'))).rejects.toMatchObject({
    code: 'NoPodsToPreempt',
    message: 'preemption: error finding a set of pods to preempt: no set of running pods found to reclaim resources: [(res: cpu, q: 5), ]',
  });
});
