import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { buildPod, createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createTestNode } from '../test-node.js';

function setUp() {
  const clock = createVirtualClock();
  const memory = createMemoryRuntime({ clock, images: 'any' });
  const calls: string[] = [];
  const onSandboxReady = () => void calls.push(memory.calls.map(({ method }) => method).join(' '));
  return { memory, calls, node: createTestNode(memory, clock, { onSandboxReady }) };
}

it('onSandboxReady is called once, after a new sandbox has its network', async () => {
  const { calls, node } = setUp();
  await node.sync(buildPod({ name: 'p' }));
  await node.sync(buildPod({ name: 'p' }));
  expect(calls).toEqual([expect.stringMatching(/runPodSandbox podSandboxStatus$/)]);
});

it('onSandboxReady is not called for a sandbox that failed to start', async () => {
  const { memory, calls, node } = setUp();
  memory.fault({ method: 'runPodSandbox', error: 'CRI_UNKNOWN' });
  await node.sync(buildPod({ name: 'p' }));
  expect(calls).toEqual([]);
});
