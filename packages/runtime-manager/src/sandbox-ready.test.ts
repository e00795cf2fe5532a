import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { buildPod, createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createTestNode } from './test-node.js';

function setUp() {
  const clock = createVirtualClock();
  const memory = createMemoryRuntime({ clock, images: 'any' });
  const told: string[] = [];
  const onSandboxReady = () => void told.push(memory.calls.map(({ method }) => method).join(' '));
  return { memory, told, node: createTestNode(memory, clock, { onSandboxReady }) };
}

it('is told of once a new sandbox has its network, and not again', async () => {
  const { told, node } = setUp();
  await node.sync(buildPod({ name: 'p' }));
  await node.sync(buildPod({ name: 'p' }));
  expect(told).toEqual([expect.stringMatching(/runPodSandbox podSandboxStatus$/)]);
});

it('is not told of a sandbox that could not be made', async () => {
  const { memory, told, node } = setUp();
  memory.fault({ method: 'runPodSandbox', error: 'CRI_UNKNOWN' });
  await node.sync(buildPod({ name: 'p' }));
  expect(told).toEqual([]);
});
