import { buildPod } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createTestAgent, type TestAgent } from './test-agent.js';

const pod = buildPod({
  name: 'web',
  initContainers: [{ name: 'init-1' }, { name: 'init-2' }],
  containers: [{ name: 'main' }],
});

/** An agent with the pod, whose init containers take two seconds each. */
async function started() {
  const first = createTestAgent([pod]);
  for (const name of ['init-1', 'init-2']) first.memory.script(name, { exit: { afterMs: 2_000 } });
  await first.agent.start();
  return first;
}

/** The containers of the newest sandbox in the order of their starts, each with the containers that ran at that time. */
function startsOf({ memory }: TestAgent) {
  const sandbox = memory.sandboxes().at(-1)?.id;
  const containers = memory.containers().filter(({ sandboxId, startedAt }) => sandboxId === sandbox && startedAt > 0n);
  return containers
    .sort((a, b) => Number(a.startedAt - b.startedAt))
    .map(({ name, startedAt }) => {
      const beside = containers.filter((other) => other.startedAt < startedAt && (other.finishedAt === 0n || other.finishedAt > startedAt));
      return [name, ...beside.map((other) => other.name)].join(' beside ');
    });
}

describe('after the sandbox of a pod died', () => {
  it('runs the init containers again although a regular container was created and never started', async () => {
    const first = await started();
    const { agent, clock, memory } = first;
    memory.fault({
      method: 'startContainer',
      match: ({ containerId }) => memory.containers('main').some(({ id }) => id === containerId),
      hang: true,
    });
    await clock.until(() => memory.containers('main').length > 0, 20_000);
    await agent.stop();
    expect(memory.containers('main').map(({ state }) => state)).toEqual(['created']);
    memory.clearFaults();
    memory.killSandbox(memory.sandboxes()[0]?.id ?? '');

    const second = first.again();
    await second.agent.start();
    await second.untilReady('web', 60_000);
    expect(startsOf(second)).toEqual(['init-1', 'init-2', 'main']);
    await second.agent.stop();
    expect(clock.pending).toBe(0);
  });

  it('runs the init containers again although an earlier one could not be removed', async () => {
    const first = await started();
    const { agent, clock, memory } = first;
    await first.untilReady('web', 20_000);
    const [old] = memory.containers('init-2');
    memory.fault({ method: 'removeContainer', match: ({ containerId }) => containerId === old?.id, error: 'busy' });
    memory.killSandbox(memory.sandboxes()[0]?.id ?? '');
    await clock.until(() => memory.sandboxes().length > 1, 20_000);
    await clock.until(() => startsOf(first).includes('main'), 60_000);
    expect(startsOf(first)).toEqual(['init-1', 'init-2', 'main']);
    await agent.stop();
  });
});
