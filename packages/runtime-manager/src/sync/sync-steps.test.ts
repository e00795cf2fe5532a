import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { buildPod, createRecordingRecorder, createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createMemoryFiles } from '../memory-files.js';
import { createTestNode } from '../test-node.js';

function setUp(files = createMemoryFiles()) {
  const clock = createVirtualClock();
  const memory = createMemoryRuntime({ clock, images: 'any', recordCalls: 10_000 });
  const recorder = createRecordingRecorder();
  return { clock, memory, recorder, node: createTestNode(memory, clock, { recorder }, files) };
}

it('fails the sync with an event if the sandbox status is unavailable, and uses the sandbox in the next sync', async () => {
  const { memory, recorder, node } = setUp();
  const pod = buildPod({ name: 'p', containers: ['app:1'] });
  memory.fault({ method: 'podSandboxStatus', error: 'lost' });
  expect((await node.sync(pod)).error).toMatchObject({ code: 'CreatePodSandboxError' });
  expect(recorder.lines).toEqual(['Warning FailedPodSandBoxStatus Unable to get pod sandbox status: lost']);
  expect((await node.sync(pod)).error).toBeUndefined();
  expect([memory.sandboxes().length, memory.containers().length]).toEqual([1, 1]);
});

it('keeps only the newest exited instance of an init container, which has the result', async () => {
  const { clock, memory, node } = setUp();
  memory.script('i', { exit: { code: 1 } });
  const pod = buildPod({ name: 'p', initContainers: [{ name: 'i' }], containers: ['app:1'] });
  for (let round = 0; round < 4; round++) {
    await node.sync(pod);
    await clock.advance(600_000);
  }
  await node.sync(pod);
  const ended = memory.containers('i').filter(({ state }) => state === 'exited');
  expect(ended.map(({ attempt }) => attempt)).toEqual([3]);
});

it('keeps a container whose logs cannot be removed, and removes both later', async () => {
  const files = createMemoryFiles();
  let removable = false;
  const remove = (path: string) => (removable ? files.remove(path) : Promise.reject(new Error('read-only file system')));
  const { clock, memory, node } = setUp({ ...files, remove, list: async () => ['0.log'] });
  memory.script('app', { exit: {} });
  const pod = buildPod({ name: 'p', containers: [{ name: 'app' }] });
  await node.sync(pod);
  await clock.advance(1);
  const id = memory.containers()[0]?.id ?? '';
  await expect(node.manager.deleteContainer(id)).rejects.toThrow('read-only file system');
  expect(memory.containers()).toHaveLength(1);
  removable = true;
  await node.manager.deleteContainer(id);
  expect(memory.containers()).toEqual([]);
});

it('stops a pod that is being deleted within the grace period of the deletion', async () => {
  const { clock, memory, node } = setUp();
  const pod = buildPod({ name: 'p', terminationGracePeriodSeconds: 30, containers: [{ name: 'app' }] });
  await node.sync(pod);
  const deleted = { ...pod, metadata: { ...pod.metadata, deletionGracePeriodSeconds: 7 } };
  await clock.run(node.kill(deleted));
  expect(memory.callsOf('stopContainer')[0]?.request).toMatchObject({ timeout: 7n });
});

it.each([
  ['while its old sandbox is stopped', 'stopPodSandbox'],
  ['while its claims are prepared', 'prepareDynamicResources'],
])('creates no sandbox for a pod whose termination begins %s', async (_, during) => {
  const clock = createVirtualClock();
  const memory = createMemoryRuntime({ clock, images: 'any', recordCalls: 10_000 });
  let isTerminating = false;
  const podState = {
    isPodTerminationRequested: () => isTerminating,
    shouldPodContentBeRemoved: () => false,
    shouldPodRuntimeBeRemoved: () => false,
  };
  let prepared = 0;
  const prepareDynamicResources = async () => {
    prepared++;
    if (during === 'prepareDynamicResources') isTerminating ||= memory.sandboxes().length > 0;
  };
  const node = createTestNode(memory, clock, { podState, prepareDynamicResources });
  const pod = buildPod({ name: 'p', containers: ['app:1'] });
  await node.sync(pod);
  memory.killSandbox(memory.sandboxes()[0]?.id ?? '');
  memory.clearCalls();
  prepared = 0;
  memory.fault({
    method: 'stopPodSandbox',
    answer: (_request, proceed) => {
      if (during === 'stopPodSandbox') isTerminating = true;
      return proceed();
    },
  });
  const { results, error } = await node.sync(pod);
  expect([error, results.map(({ action }) => action), isTerminating]).toEqual([undefined, ['KillContainer', 'KillPodSandbox'], true]);
  expect([memory.callsOf('runPodSandbox'), memory.callsOf('createContainer')]).toEqual([[], []]);
  expect(prepared).toBe(during === 'stopPodSandbox' ? 0 : 1);
});

it('starts no further container for a pod whose termination begins during the start of one', async () => {
  const clock = createVirtualClock();
  const memory = createMemoryRuntime({ clock, images: 'any', recordCalls: 10_000 });
  let isTerminating = false;
  const podState = {
    isPodTerminationRequested: () => isTerminating,
    shouldPodContentBeRemoved: () => false,
    shouldPodRuntimeBeRemoved: () => false,
  };
  const node = createTestNode(memory, clock, { podState });
  memory.fault({
    method: 'startContainer',
    answer: (_request, proceed) => {
      isTerminating = true;
      return proceed();
    },
  });
  const { error } = await node.sync(buildPod({ name: 'p', containers: ['app:1', 'helper:1'] }));
  expect([error, memory.callsOf('createContainer').length, memory.callsOf('startContainer').length]).toEqual([undefined, 1, 1]);
});
