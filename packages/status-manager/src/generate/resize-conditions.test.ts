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

const at = '2026-01-01T00:00:00Z';
const condition = { type: 'PodResizeInProgress', status: 'True', observedGeneration: 2, lastProbeTime: at, lastTransitionTime: at };

it('reports a resize as in progress from its admission until its completion, with an event at the end', () => {
  const { recorder, resizes } = setUp();
  expect(resizes.observe(pod, false)).toEqual([]);
  resizes.begin(pod);
  expect(resizes.get(uid)).toEqual([condition]);
  expect(resizes.observe(pod, true)).toEqual([condition]);
  resizes.update(uid, outcome());
  expect(resizes.observe(pod, true)).toEqual([condition]);
  expect(resizes.observe(pod, false)).toEqual([]);
  expect(resizes.observe(pod, false)).toEqual([]);
  expect(recorder.lines).toEqual([`Normal ResizeCompleted Pod resize completed: ${details}`]);
});

it('recovers a resize that started in a previous run of the agent', () => {
  const { recorder, resizes } = setUp();
  expect(resizes.observe(pod, true)).toEqual([condition]);
  expect(recorder.lines).toEqual([]);
});

it('does not complete a resize in a sync of an earlier generation of the pod', () => {
  const { recorder, resizes } = setUp();
  resizes.begin(pod);
  expect(resizes.observe({ ...pod, metadata: { ...pod.metadata, generation: 1 } }, false)).toEqual([condition]);
  expect(recorder.lines).toEqual([]);
});

it('does not complete a resize in a sync that started while the resize was deferred', () => {
  const { recorder, resizes } = setUp();
  const [container] = pod.spec?.containers ?? [];
  const deferred: Pod = { ...pod, spec: { containers: [{ ...container, name: 'c', resources: { requests: { cpu: '10m' } } }] } };
  resizes.begin(pod);
  expect(resizes.observe(deferred, false)).toEqual([condition]);
  expect(recorder.lines).toEqual([]);
  expect(resizes.observe(pod, false)).toEqual([]);
});

it('reports the error of a failed resize until it succeeds', async () => {
  const { clock, recorder, resizes } = setUp();
  resizes.begin(pod);
  await clock.advance(5_000);
  for (const _ of [1, 2]) resizes.update(uid, outcome(new Error('busy')));
  expect(resizes.observe(pod, true)).toMatchObject([{ reason: 'Error', message: 'busy', lastTransitionTime: '2026-01-01T00:00:05Z' }]);
  resizes.update(uid, { results: [] });
  expect(resizes.get(uid)).toMatchObject([{ reason: 'Error' }]);
  resizes.update(uid, outcome());
  expect(resizes.get(uid)[0]).not.toHaveProperty('reason');
  expect(recorder.lines).toEqual([`Warning ResizeError Pod resize error: ${details.slice(0, -1)},"error":"busy"}`]);
});

it('replaces the condition at each resize, reports the last admitted one, and forgets removed pods', () => {
  const { recorder, resizes } = setUp();
  resizes.begin(pod);
  resizes.update(uid, outcome(new Error('busy')));
  const next: Pod = { ...pod, metadata: { ...pod.metadata, generation: 3 } };
  resizes.begin(next);
  expect(resizes.get(uid)[0]).not.toHaveProperty('message');
  expect(resizes.get(uid)).toMatchObject([{ observedGeneration: 3 }]);
  const waiting: Pod = { ...pod, metadata: { ...pod.metadata, generation: 4 } };
  resizes.observe(waiting, false);
  expect(recorder.lines.at(-1)).toContain('"generation":3');
  resizes.begin(next);
  resizes.retain(new Set());
  expect(resizes.get(uid)).toEqual([]);
});
