import { podReference, podUid } from '@nodeagent/api/helpers';
import { buildPod, createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createPodEvents, eventsKept } from './pod-events.js';

const pod = buildPod({ name: 'p' });
const uid = podUid(pod);

function setUp() {
  const clock = createVirtualClock();
  const reported: string[] = [];
  const passedOn: string[] = [];
  const events = createPodEvents({
    clock,
    recorders: [{ event: (_object, _type, reason) => void passedOn.push(reason) }],
    onEvent: ({ reason, at }) => reported.push(`${reason} ${at - start}`),
  });
  const start = clock.now();
  const texts = () => events.of(uid).map(({ reason, count, firstAt, at }) => `${reason} x${count} ${firstAt - start}..${at - start}`);
  const record = (reason: string, message = '') => events.event(podReference(pod), 'Normal', reason, message);
  return { clock, events, reported, passedOn, texts, record };
}

it('counts a repeated event and lists it last', async () => {
  const { clock, events, reported, texts, record } = setUp();
  record('BackOff');
  record('Pulled');
  await clock.advance(10_000);
  record('BackOff');
  expect(texts()).toEqual(['Pulled x1 0..0', 'BackOff x2 0..10000']);
  expect(events.last(uid)).toMatchObject({ reason: 'BackOff', at: clock.now() });
  expect(reported).toEqual(['BackOff 0', 'Pulled 0', 'BackOff 10000']);
});

it('distinguishes events by message, type and container', () => {
  const { events, texts, record } = setUp();
  record('Failed', 'a');
  record('Failed', 'b');
  events.event({ ...podReference(pod), fieldPath: 'spec.containers{a}' }, 'Normal', 'Failed', 'b');
  events.event(podReference(pod), 'Warning', 'Failed', 'b');
  expect(texts()).toHaveLength(4);
});

it('keeps the newest of many', () => {
  const { texts, record } = setUp();
  for (let i = 0; i < 1_000; i++) record(`R${i}`);
  expect(texts()).toHaveLength(eventsKept);
  expect(texts().at(-1)).toBe('R999 x1 0..0');
});

it('passes on the events of other objects without keeping them, and forgets removed pods', () => {
  const { events, passedOn, reported, texts, record } = setUp();
  events.event({ kind: 'Node', name: 'n', uid }, 'Normal', 'Starting', '');
  expect([texts(), passedOn, reported]).toEqual([[], ['Starting'], ['Starting 0']]);
  record('Started');
  events.retain(new Set([uid]));
  expect(texts()).toHaveLength(1);
  events.retain(new Set());
  expect(texts()).toEqual([]);
  expect(events.last(uid)).toBeUndefined();
});
