import { NodeAgentError } from '@nodeagent/api';
import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { buildPod, createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import type { RuntimeManagerOptions } from './options.js';
import { createTestNode } from './test-node.js';

const stopped = new NodeAgentError('STOPPED', 'the agent was stopped');

it('aborts waits for the runtime, a hook or another container when the agent stops, and rejects later calls', async () => {
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

it.each([
  ['environment', {}],
  ['images', {}],
  ['runtimeHandler', { runtimeClassName: 'kata' }],
  ['deviceOptions', {}],
  ['prepareDynamicResources', {}],
  ['preCreate', {}],
  ['preStart', {}],
  ['userNamespaces', { hostUsers: false }],
  ['prepareSubPath', { containers: [{ name: 'c', volumeMounts: [{ name: 'v', mountPath: '/v', subPath: 'x' }] }] }],
])('does not wait for %s when the agent stops', async (port, spec) => {
  const clock = createVirtualClock();
  const memory = createMemoryRuntime({ clock, images: 'any' });
  const end = new AbortController();
  let asked = 0;
  const hang = () => {
    asked++;
    return new Promise<never>(() => {});
  };
  const ports: Partial<RuntimeManagerOptions> = {
    ...(/^pre(Create|Start)$/.test(port) ? { containerLifecycle: { [port]: hang } } : { [port]: hang }),
    ...(port === 'images' && { images: { ensureImageExists: hang } }),
    ...(port === 'userNamespaces' && { userNamespaces: { mappings: hang } }),
    mountedVolumes: () => new Map([['v', { hostPath: '/v', readOnly: false }]]),
  };
  const node = createTestNode(memory, clock, { signal: end.signal, ...ports });
  const sync = node.sync(buildPod({ name: 'p', containers: ['app:1'], ...spec }));
  await clock.advance(600_000);
  expect(asked).toBe(1);
  end.abort(stopped);
  const { error, results } = await sync;
  const reasons = [error, ...results.map((result) => result.error)].flatMap((each) => (each ? [each.message] : []));
  if (port !== 'prepareDynamicResources') expect(reasons[0]).toBe('the agent was stopped');
  expect(clock.pending).toBe(0);
});
