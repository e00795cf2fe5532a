import type { Pod, PodStatus } from '@nodeagent/api';
import { buildPod, createRecordingRecorder } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { rejectedPodStatus, rejectPod } from './reject-pod.js';

const pod: Pod = buildPod({ name: 'web', uid: 'u' });
const refusal = { admit: false, reason: 'OutOfcpu', message: "Node didn't have enough resource: cpu" } as const;
const status = {
  phase: 'Failed',
  reason: 'OutOfcpu',
  message: "Pod was rejected: Node didn't have enough resource: cpu",
  qosClass: 'BestEffort',
};

it('gives a rejected pod the phase Failed with the reason of its refusal', () => {
  expect(rejectedPodStatus({ ...pod, metadata: { ...pod.metadata, generation: 2 } }, refusal)).toEqual({
    ...status,
    observedGeneration: 2,
  });
});

it('reports a rejection by an event and the status', () => {
  const recorder = createRecordingRecorder();
  const statuses: PodStatus[] = [];
  const { generation: _, ...metadata } = pod.metadata ?? {};
  rejectPod({ ...pod, metadata }, refusal, { recorder, statusManager: { setPodStatus: (_pod, each) => void statuses.push(each) } });
  expect(statuses).toEqual([status]);
  expect(recorder.events.map(({ type, reason, message }) => `${type} ${reason} ${message}`)).toEqual([
    "Warning OutOfcpu Node didn't have enough resource: cpu",
  ]);
});
