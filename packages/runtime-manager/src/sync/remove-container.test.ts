import { type PodRuntimeStatus, silentLogger } from '@nodeagent/api';
import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { buildPod, createRecordingLogger, createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createTestNode } from '../test-node.js';

async function setUp(logger = silentLogger) {
  const clock = createVirtualClock();
  const memory = createMemoryRuntime({ clock, images: 'any' });
  memory.script('a', { exit: { code: 1 } });
  const podState = {
    isPodTerminationRequested: () => false,
    shouldPodContentBeRemoved: () => true,
    shouldPodRuntimeBeRemoved: () => true,
  };
  const node = createTestNode(memory, clock, { podState, logger });
  const pod = buildPod({ name: 'p', containers: [{ name: 'a' }] });
  await node.sync(pod);
  await clock.advance(1_000);
  const status: PodRuntimeStatus = await node.status(pod);
  const { id } = status.containerStatuses[0] ?? { id: '' };
  return { clock, memory, node, status, id };
}

it('removes a container once for concurrent calls', async () => {
  const logger = createRecordingLogger();
  const { clock, memory, node, status, id } = await setUp(logger);
  memory.fault({ method: 'removeContainer', delayMs: 5_000 });
  const asked = [
    node.manager.deleteDeadContainers(status, id, true),
    node.manager.deleteDeadContainers(status, id, true),
    node.manager.deleteContainer(id),
    node.manager.garbageCollect(true),
  ];
  await clock.run(Promise.all(asked));
  expect(memory.callsOf('removeContainer').map(({ request }) => request)).toEqual([{ containerId: id }]);
  expect(memory.containers('a')).toEqual([]);
  expect(logger.messages('warn')).toEqual([]);
});

it('rejects all concurrent calls if the removal fails, and retries on the next call', async () => {
  const { clock, memory, node, id } = await setUp();
  memory.fault({ method: 'removeContainer', delayMs: 1_000, error: 'device or resource busy' });
  const outcomes = await clock.run(Promise.allSettled([node.manager.deleteContainer(id), node.manager.deleteContainer(id)]));
  expect(outcomes.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected']);
  expect(memory.containers('a')).toHaveLength(1);
  await node.manager.deleteContainer(id);
  expect(memory.containers('a')).toEqual([]);
});

it('asks where the logs are only if no status had it', async () => {
  const { memory, node, id } = await setUp();
  memory.clearCalls();
  await node.manager.deleteContainer(id);
  expect(memory.callsOf('containerStatus')).toEqual([]);

  const other = await setUp();
  const removed = createTestNode(other.memory, other.clock);
  other.memory.clearCalls();
  await removed.manager.deleteContainer(other.id);
  expect(other.memory.callsOf('containerStatus')).toHaveLength(1);
});
