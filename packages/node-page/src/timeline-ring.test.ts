import { expect, it } from 'vitest';
import { createTimelineRing } from './timeline-ring.js';

const entry = (text: string, time = 1) => ({ time, kind: 'event' as const, text });

it('keeps the newest entries', () => {
  const ring = createTimelineRing(3);
  for (const text of ['a', 'b', 'c', 'd']) ring.add(entry(text));
  expect(ring.entries().map(({ text, key }) => `${text}${key}`)).toEqual(['b2', 'c3', 'd4']);
});

it('counts repetitions instead of recording them twice', () => {
  const ring = createTimelineRing(10);
  ring.add(entry('a', 1));
  ring.add(entry('b', 2));
  expect(ring.add(entry('a', 3))).toMatchObject({ key: 1, kind: 'event', text: 'a', time: 3, firstTime: 1, count: 2 });
  expect(ring.entries().map(({ text }) => text)).toEqual(['b', 'a']);
  ring.add({ ...entry('a', 4), kind: 'sync' });
  ring.add({ ...entry('a', 5), pod: { uid: 'u', namespace: 'n', name: 'p' } });
  expect(ring.entries().map(({ count }) => count)).toEqual([1, 2, 1, 1]);
});

it('records a late repetition as a new entry', () => {
  const ring = createTimelineRing(100);
  ring.add(entry('a'));
  for (let i = 0; i < 50; i += 1) ring.add(entry(`other ${i}`));
  expect(ring.add(entry('a'))).toMatchObject({ count: 1, key: 52 });
});

it('truncates long texts', () => {
  const { text } = createTimelineRing(1).add(entry('x'.repeat(5_000)));
  expect(text).toBe(`${'x'.repeat(1_000)}…`);
});

it('numbers the episodes of each pod, and leaves out UIDs', () => {
  const ring = createTimelineRing(10);
  const pod = (name: string) => ({ pod: { uid: name, namespace: 'n', name } });
  const died = { kind: 'lifecycle' as const, warning: true, fields: { event: 'ContainerDied' } };
  ring.add({ ...entry('started'), ...pod('web') });
  ring.add({ ...entry('started'), ...pod('cart') });
  ring.add({ ...entry('main exited with 1'), ...died, ...pod('web') });
  const last = ring.add({ ...entry('of web_n(d391afac-6606-408a-a12b-6aed27682fe8)'), ...pod('web') });
  expect(ring.entries().map(({ episode, severity }) => [episode, severity])).toEqual([
    [1, 'info'],
    [2, 'info'],
    [3, 'error'],
    [3, 'info'],
  ]);
  expect(last.text).toBe('of web_n');
});
