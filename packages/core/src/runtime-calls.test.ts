import { buildPod } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createTestAgent } from './test-agent.js';

it('reads from the runtime only what changed when a pod starts and stops', async () => {
  const node = createTestAgent([], { sourceName: 'api', settings: { resolvConf: '', evented: 'auto' } });
  const { agent, clock, memory, source } = node;
  /** The calls about one pod. Those of relists and of garbage collection list all pods. */
  const calls = () =>
    memory.calls
      .filter(({ method, request }) => !method.startsWith('list') || JSON.stringify(request).includes('labelSelector'))
      .map(({ method }) => method)
      .filter((method) => method !== 'status');
  await agent.start();
  await clock.advance(30_000);
  memory.clearCalls();
  const pod = buildPod({ name: 'a' });
  source.set([pod]);
  await node.untilReady('a');
  await clock.advance(5_000);
  expect(calls()).toEqual(['runPodSandbox', 'podSandboxStatus', 'imageStatus', 'createContainer', 'startContainer', 'containerStatus']);

  memory.clearCalls();
  const deletionTimestamp = new Date(clock.now()).toISOString();
  source.set([{ ...pod, metadata: { ...pod.metadata, deletionTimestamp, deletionGracePeriodSeconds: 30 } }]);
  await clock.until(() => memory.containers().length === 0);
  expect(calls()).toEqual([
    'stopContainer',
    'stopPodSandbox',
    'containerStatus',
    'podSandboxStatus',
    'removeContainer',
    // Garbage collection.
    'stopPodSandbox',
    'removePodSandbox',
  ]);
  await agent.stop();
});
