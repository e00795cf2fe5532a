import type { ContainerRestartRule, ContainerStatus, Pod } from '@nodeagent/api';
import { buildPod } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createTestAgent, type TestAgent } from './test-agent.js';

const restartAll: ContainerRestartRule[] = [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }];
const removed = {
  reason: 'RestartingAllContainers',
  message: 'The container is removed because RestartAllContainers in place',
  exitCode: 137,
};

/** Every container writes a line, as a runtime has a log for each from its creation. */
async function start(pod: Pod, fails: string, times: number): Promise<TestAgent> {
  const node = createTestAgent([pod]);
  node.memory.script({}, ({ name, attempt }) => ({
    logs: [name],
    ...(name === fails && attempt < times && { exit: { afterMs: 5_000, code: 42 } }),
    ...(name.startsWith('init') && !(name === fails && attempt < times) && { exit: { afterMs: 100 } }),
  }));
  await node.agent.start();
  return node;
}

const summary = ({ name, restartCount, state, lastState }: ContainerStatus) => ({
  name,
  restartCount,
  state: Object.keys(state ?? {})[0],
  last: lastState?.terminated,
});
const statuses = (node: TestAgent) => {
  const { initContainerStatuses = [], containerStatuses = [] } = node.status('p') ?? {};
  return [...initContainerStatuses, ...containerStatuses];
};

it.each([
  ['a regular container', 'main'],
  ['a sidecar', 'side'],
])('restarts all containers in place, twice, when %s exits with a code of its rule', async (_what, fails) => {
  const pod = buildPod({
    name: 'p',
    restartPolicy: 'Never',
    initContainers: [
      { name: 'init' },
      { name: 'side', restartPolicy: 'Always', ...(fails === 'side' && { restartPolicyRules: restartAll }) },
    ],
    containers: [{ name: 'main', ...(fails === 'main' && { restartPolicy: 'Never', restartPolicyRules: restartAll }) }, { name: 'other' }],
  });
  const node = await start(pod, fails, 2);
  for (const restartCount of [0, 1, 2]) {
    await node.clock.until(() => node.isReady('p') && statuses(node).every((status) => status.restartCount === restartCount), 20_000);
    const last = restartCount === 0 ? undefined : removed;
    expect(statuses(node).map(summary)).toEqual([
      { name: 'init', restartCount, state: 'terminated', last },
      { name: 'side', restartCount, state: 'running', last },
      { name: 'main', restartCount, state: 'running', last },
      { name: 'other', restartCount, state: 'running', last },
    ]);
  }
  await node.clock.advance(300_000);
  expect(statuses(node).map(({ restartCount }) => restartCount)).toEqual([2, 2, 2, 2]);
  expect(node.memory.callsOf('runPodSandbox')).toHaveLength(1);
  expect(node.memory.callsOf('createContainer')).toHaveLength(12);
  expect(node.eventLines('p').filter((line) => line.includes('Killing'))).toEqual(Array(4).fill('Normal Killing killing'));
  await node.agent.stop();
});

it('starts init containers again from the first when one of them exits with a code of its rule, though the pod never restarts', async () => {
  const pod = buildPod({
    name: 'p',
    restartPolicy: 'Never',
    initContainers: [{ name: 'init1' }, { name: 'init2', restartPolicy: 'Never', restartPolicyRules: restartAll }],
    containers: [{ name: 'main' }],
  });
  const node = await start(pod, 'init2', 2);
  await node.untilReady('p', 60_000);
  expect(statuses(node).map(summary)).toEqual([
    { name: 'init1', restartCount: 2, state: 'terminated', last: removed },
    { name: 'init2', restartCount: 2, state: 'terminated', last: removed },
    { name: 'main', restartCount: 0, state: 'running', last: undefined },
  ]);
  await node.agent.stop();
});
