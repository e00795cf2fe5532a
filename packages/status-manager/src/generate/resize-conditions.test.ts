import type { Pod, PodSyncResult } from '@nodeagent/api';
import { buildPod, createRecordingRecorder, createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createResizeConditions } from './resize-conditions.js';

const resources = { requests: { cpu: '150m', memory: '32Mi' }, limits: { cpu: '300m', memory: '64Mi' } };
const pod = buildPod({ name: 'p', containers: [{ name: 'c', resources }], metadata: { generation: 2 } });
const uid = pod.metadata?.uid ?? '';
const outcome = (error?: Error): PodSyncResult => ({ results: [{ action: 'ResizePodInPlace', target: 'p', ...(error && { error }) }] });
const details =
  '{"containers":[{"name":"c","resources":{"limits":{"cpu":"300m","memory":"64Mi"},"requests":{"cpu":"150m","memory":"32Mi"}}}],"generation":2}';

function setUp() {
  const clock = createVirtualClock({ start: Date.UTC(2026, 0, 1) });
  const recorder = createRecordingRecorder();
  return { clock, recorder, resizes: createResizeConditions({ clock, recorder }) };
}

it('says when a resize begins and ends, once each', () => {
  const { recorder, resizes } = setUp();
  expect(resizes.observe(pod, false)).toEqual([]);
  const at = '2026-01-01T00:00:00Z';
  const condition = { type: 'PodResizeInProgress', status: 'True', observedGeneration: 2, lastProbeTime: at, lastTransitionTime: at };
  expect(resizes.observe(pod, true)).toEqual([condition]);
  resizes.update(uid, outcome());
  expect(resizes.observe(pod, true)).toEqual([condition]);
  expect(resizes.get(uid)).toEqual([condition]);
  expect(resizes.observe(pod, false)).toEqual([]);
  expect(resizes.observe(pod, false)).toEqual([]);
  expect(recorder.lines).toEqual([
    `Normal ResizeStarted Pod resize started: ${details}`,
    `Normal ResizeCompleted Pod resize completed: ${details}`,
  ]);
});

it('names what a resize failed with until it succeeds', async () => {
  const { clock, recorder, resizes } = setUp();
  resizes.observe(pod, true);
  await clock.advance(5_000);
  for (const _ of [1, 2]) resizes.update(uid, outcome(new Error('busy')));
  expect(resizes.observe(pod, true)).toMatchObject([{ reason: 'Error', message: 'busy', lastTransitionTime: '2026-01-01T00:00:05Z' }]);
  resizes.update(uid, { results: [] });
  expect(resizes.get(uid)).toMatchObject([{ reason: 'Error' }]);
  resizes.update(uid, outcome());
  expect(resizes.get(uid)[0]).not.toHaveProperty('reason');
  expect(recorder.lines.slice(1)).toEqual([`Warning ResizeError Pod resize error: ${details.slice(0, -1)},"error":"busy"}`]);
});

it('begins anew with the next generation of the pod, and forgets pods that are gone', () => {
  const { recorder, resizes } = setUp();
  resizes.observe(pod, true);
  resizes.update(uid, outcome(new Error('busy')));
  const next: Pod = { ...pod, metadata: { ...pod.metadata, generation: 3 } };
  expect(resizes.observe(next, true)[0]).not.toHaveProperty('message');
  expect(recorder.events.filter(({ reason }) => reason === 'ResizeStarted')).toHaveLength(2);
  resizes.retain(new Set());
  expect(resizes.get(uid)).toEqual([]);
});
