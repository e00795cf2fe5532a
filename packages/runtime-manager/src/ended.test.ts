import { NodeAgentError } from '@nodeagent/api';
import { buildPod, createMemoryRuntime, createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createTestNode } from './test-node.js';

const stopped = new NodeAgentError('STOPPED', 'the agent was stopped');

it('cuts short what waits for the runtime, a hook or a turn when the agent ends, and refuses what comes later', async () => {
  const clock = createVirtualClock();
  const memory = createMemoryRuntime({ clock, images: 'any' });
  memory.script('main', { onStop: 'ignore' });
  const end = new AbortController();
  const node = createTestNode(memory, clock, { signal: end.signal });
  const preStop = { sleep: { seconds: 600 } };
  const slow = buildPod({
    name: 'slow',
    terminationGracePeriodSeconds: 3_600,
    containers: ['busybox:1', { name: 'hook', lifecycle: { preStop } }],
    initContainers: [{ name: 'sidecar', restartPolicy: 'Always' }],
  });
  await node.sync(slow);
  await node.sync(slow);
  expect(memory.containers().map(({ name, state }) => `${name} ${state}`)).toEqual(['sidecar running', 'main running', 'hook running']);

  const kill = node.kill(slow);
  await clock.advance(60_000);
  end.abort(stopped);
  const { error } = await kill;
  expect(error?.message).toBe('the agent was stopped');
  expect(clock.pending).toBe(0);
  await expect(node.manager.getPods(true)).rejects.toBe(stopped);
  expect(await node.sync(slow).catch((reason: unknown) => reason)).toBe(stopped);
});
