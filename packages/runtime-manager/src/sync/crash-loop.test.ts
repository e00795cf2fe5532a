import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { buildPod, createRecordingRecorder, createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createTestNode } from '../test-node.js';

it('a crashing container restarts at once, then 10 s, 20 s, ... after its exit, up to five minutes', async () => {
  const clock = createVirtualClock();
  const memory = createMemoryRuntime({ clock, images: 'any', recordCalls: 100_000 });
  const recorder = createRecordingRecorder();
  const node = createTestNode(memory, clock, { recorder });
  memory.script('a', { exit: { afterMs: 1000, code: 1 } });
  const pod = buildPod({ name: 'p', uid: 'u', containers: [{ name: 'a' }] });

  let last: Error | undefined;
  for (let second = 0; second < 1500; second++) {
    const { results } = await node.sync(pod);
    last = results.find(({ error }) => error)?.error ?? last;
    if (second === 2) {
      expect(last).toMatchObject({
        code: 'CrashLoopBackOff',
        message: 'back-off 10s restarting failed container=a pod=p_default(u)',
        details: { expiry: Date.UTC(2026, 0, 1) + 12_000 },
      });
    }
    await clock.advance(1000);
  }

  const starts = memory.callsOf('startContainer').map(({ at }) => (at - Date.UTC(2026, 0, 1)) / 1000);
  // Each run takes a second: a start follows the previous one after 1 s plus the delay.
  const gaps = starts.slice(1).map((start, index) => start - (starts[index] ?? 0) - 1);
  expect(gaps).toEqual([0, 10, 20, 40, 80, 160, 300, 300, 300]);
  // One event for each delay, although several syncs meet it.
  const backOffEvents = recorder.lines.filter(
    (line) => line === 'Warning BackOff Back-off restarting failed container a in pod p_default(u)',
  );
  expect(backOffEvents).toHaveLength(starts.length - 1);
  expect(memory.containers('a').at(-1)?.attempt).toBe(starts.length - 1);
  expect(last?.message).toContain('back-off 5m0s');
});

it('a change of the image ends the back-off', async () => {
  const clock = createVirtualClock();
  const memory = createMemoryRuntime({ clock, images: 'any' });
  const node = createTestNode(memory, clock);
  memory.script('a', { exit: { code: 1 } });
  const pod = (image: string) => buildPod({ name: 'p', containers: [{ name: 'a', image }] });
  for (let round = 0; round < 4; round++) {
    await node.sync(pod('x:1'));
    await clock.advance(1000);
  }
  expect(memory.containers('a')).toHaveLength(2);
  await node.sync(pod('x:2'));
  expect(memory.containers('a')).toHaveLength(3);
});
