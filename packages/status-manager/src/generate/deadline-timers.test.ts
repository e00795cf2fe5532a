import { formatTime } from '@nodeagent/api/helpers';
import { buildPod, createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createDeadlineTimers } from './deadline-timers.js';

function setUp() {
  const clock = createVirtualClock();
  const due: string[] = [];
  const timers = createDeadlineTimers((uid) => due.push(uid), clock);
  const pod = (activeDeadlineSeconds?: number) =>
    buildPod({ name: 'p', uid: 'u', ...(activeDeadlineSeconds !== undefined && { activeDeadlineSeconds }) });
  return { clock, due, timers, pod, now: () => formatTime(clock.now()) };
}

it('calls back once at the deadline, however often the pod is updated', async () => {
  const { clock, due, timers, pod, now } = setUp();
  const startTime = now();
  timers.update(pod(10), startTime);
  await clock.advance(5_000);
  timers.update(pod(10), startTime);
  await clock.advance(4_999);
  expect(due).toEqual([]);
  await clock.advance(1);
  expect(due).toEqual(['u']);
  await clock.advance(60_000);
  timers.update(pod(10), startTime);
  expect([due.length, clock.pending]).toEqual([1, 0]);
});

it('reschedules and cancels the timer when the deadline changes', async () => {
  const { clock, due, timers, pod, now } = setUp();
  const startTime = now();
  timers.update(pod(10), undefined);
  timers.update(pod(10), startTime);
  timers.update(pod(30), startTime);
  await clock.advance(10_000);
  expect([due, clock.pending]).toEqual([[], 1]);
  timers.update(pod(), startTime);
  expect(clock.pending).toBe(0);
  timers.update(pod(30), startTime);
  timers.cancel('u');
  expect(clock.pending).toBe(0);
  timers.update(pod(30), startTime);
  timers.stop();
  expect(clock.pending).toBe(0);
});

it('sets no timer for a deadline in the past', () => {
  const { clock, timers, pod } = setUp();
  timers.update(pod(10), formatTime(clock.now() - 11_000));
  expect(clock.pending).toBe(0);
});
