import type { CriRequest } from '@nodeagent/memory-runtime';
import { buildPod } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createTestAgent } from './test-agent.js';

/** Calls of the runtime in ten quiet minutes, by method. */
async function idleCalls(pods: number, evented: 'auto' | 'off'): Promise<Record<string, number>> {
  const manifests = Array.from({ length: pods }, (_, i) => buildPod({ name: `p${i}`, containers: ['a:1', 'b:1'] }));
  const node = createTestAgent(manifests, { settings: { resolvConf: '', evented } });
  await node.agent.start();
  await node.clock.until(() => node.agent.pods().every(({ status }) => status.phase === 'Running'));
  await node.clock.advance(120_000);
  node.memory.clearCalls();
  await node.clock.advance(600_000);
  const counts: Record<string, number> = {};
  for (const { method } of node.memory.calls) counts[method] = (counts[method] ?? 0) + 1;
  await node.agent.stop();
  return counts;
}

// docs/decisions/0009: the kubelet makes 233 calls a minute without pods and 414 with 30.
it.each([0, 30, 110])('makes 16 runtime calls a minute with %i idle pods', async (pods) => {
  expect(await idleCalls(pods, 'auto')).toEqual({
    // Three relists, and twice and once a minute for the collection of dead containers.
    listContainers: 3 + 20,
    listPodSandbox: 3 + 10,
    status: 120,
  });
});

it.each([0, 30, 110])('makes 135 calls a minute on a runtime without events with %i idle pods', async (pods) => {
  expect(await idleCalls(pods, 'off')).toEqual({
    // Once a second for the relist, twice and once a minute for the collection of dead containers.
    listContainers: 600 + 20,
    listPodSandbox: 600 + 10,
    status: 120,
  });
});

it('lists running pods only before it terminates unknown ones', async () => {
  const node = createTestAgent([buildPod({ name: 'a' })]);
  /** The number of listings of running pods, which only housekeeping makes. */
  const runningListings = () =>
    node.memory.callsOf('listPodSandbox').filter(({ request }) => (request as CriRequest<'listPodSandbox'>).filter?.state).length;
  await node.agent.start();
  await node.untilReady('a');
  await node.clock.advance(600_000);
  expect(runningListings()).toBeLessThanOrEqual(1);
  const before = runningListings();
  await node.memory.runtime.runPodSandbox({ config: { metadata: { name: 'unknown', namespace: 'default', uid: 'x', attempt: 0 } } });
  await node.clock.until(() => node.memory.sandboxes().length === 1, 120_000);
  expect(runningListings()).toBe(before + 1);
  await node.agent.stop();
});
