import { type CriMethod, type CriRequest, createMemoryRuntime } from '@nodeagent/memory-runtime';
import { buildPod } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createTestAgent, type TestAgent } from './test-agent.js';

/** Every call that an agent makes in a pod lifecycle. */
const methods = [
  'version',
  'status',
  'runPodSandbox',
  'stopPodSandbox',
  'removePodSandbox',
  'podSandboxStatus',
  'listPodSandbox',
  'createContainer',
  'startContainer',
  'stopContainer',
  'removeContainer',
  'listContainers',
  'containerStatus',
  'imageStatus',
  'pullImage',
] as const satisfies CriMethod[];
/** The calls that terminate a pod: their fault is injected before the termination. */
const terminationMethods: ReadonlySet<CriMethod> = new Set(['stopPodSandbox', 'removePodSandbox', 'stopContainer', 'removeContainer']);

/** Longer than the longest deadline, that of an image pull, and the calls that wait for it. */
const limitMs = 2 * 3_600_000;

const faults = {
  'fails three times': (node: TestAgent, method: CriMethod) => void node.memory.fault({ method, error: 'CRI_UNKNOWN', times: 3 }),
  'hangs until its deadline': (node: TestAgent, method: CriMethod) => void node.memory.fault({ method, hang: true, times: 1 }),
  'succeeds, but the response is lost': (node: TestAgent, method: CriMethod) =>
    void node.memory.fault({ method, dropAfter: true, times: 2 }),
  'takes the runtime down for a minute': (node: TestAgent, method: CriMethod) =>
    void node.memory.fault({
      method,
      answer: async (_request, proceed) => {
        const answer = await proceed();
        node.memory.crash();
        node.clock.setTimeout(node.memory.restart, 60_000);
        await node.clock.sleep(1);
        return answer;
      },
    }),
};

function setUp(): TestAgent {
  const pod = buildPod({ name: 'p', terminationGracePeriodSeconds: 5, initContainers: ['init:1'], containers: ['a:1', 'b:1'] });
  const node = createTestAgent([pod], { images: [] });
  node.memory.script('init1', { exit: { afterMs: 1_000 } });
  return node;
}

/** No attempt of a container was ever started twice, and at most one instance of a container runs. */
function expectNothingTwice(node: TestAgent): void {
  const started = node.memory.callsOf('startContainer').filter(({ error }) => error === undefined);
  const ids = started.map(({ request }) => (request as CriRequest<'startContainer'>).containerId);
  expect(new Set(ids).size).toBe(ids.length);
  const running = node.memory.containers().flatMap(({ name, state }) => (state === 'running' ? [name] : []));
  expect(new Set(running).size).toBe(running.length);
}

async function expectCleanRemoval(node: TestAgent): Promise<void> {
  node.source.set([]);
  await node.clock.until(() => node.removed.length === 1, limitMs);
  expectNothingTwice(node);
  expect([node.memory.containers(), node.memory.sandboxes()]).toEqual([[], []]);
  await node.clock.advance(2_000);
  expect(await node.podDirs.list()).toEqual([]);
  // The pod may be removed before the runtime has restarted.
  await node.clock.advance(60_000);
  await node.agent.stop();
  expect(node.clock.pending).toBe(0);
}

describe.each(Object.keys(faults) as (keyof typeof faults)[])('when a call %s', (fault) => {
  it.each(methods)('%s', async (method) => {
    const node = setUp();
    if (!terminationMethods.has(method)) faults[fault](node, method);
    await node.agent.start();
    await node.untilReady('p', limitMs);
    expectNothingTwice(node);
    expect(
      node.memory
        .containers()
        .flatMap(({ name, state }) => (state === 'running' ? [name] : []))
        .sort(),
    ).toEqual(['c2', 'main']);
    if (terminationMethods.has(method)) faults[fault](node, method);
    await expectCleanRemoval(node);
  });
});

describe('errors reported while a call fails', () => {
  /** Where the runtime's message is reported: in an event of the pod, in its worker's last error, in its status, or in the agent's errors. */
  const reports = (node: TestAgent) =>
    JSON.stringify(
      [
        node.eventLines('p'),
        node.agent.pods().map(({ pod, status }) => [status, node.agent.explain(pod.metadata?.uid ?? '')]),
        node.agent.runtimeErrors(),
      ],
      (_key, value) => (typeof value === 'bigint' ? String(value) : value),
    );

  it.each(methods.filter((method) => !terminationMethods.has(method)))('%s', async (method) => {
    const node = setUp();
    const fault = node.memory.fault({ method, error: 'the disk is full', times: Number.POSITIVE_INFINITY });
    await node.agent.start();
    await node.clock.until(() => reports(node).includes('the disk is full'), 400_000);
    fault.remove();
    await node.untilReady('p', limitMs);
    await expectCleanRemoval(node);
  });

  it.each(['stopContainer', 'stopPodSandbox'] as const)('%s', async (method) => {
    const node = setUp();
    await node.agent.start();
    await node.untilReady('p');
    const fault = node.memory.fault({ method, error: 'device or resource busy', times: Number.POSITIVE_INFINITY });
    node.source.set([]);
    await node.clock.until(() => node.eventLines('p').includes('Warning FailedKillPod error killing pod: device or resource busy'));
    fault.remove();
    await expectCleanRemoval(node);
  });
});

it('re-creates the pods of a runtime that has lost its state', async () => {
  const node = setUp();
  await node.agent.start();
  await node.untilReady('p');
  await node.agent.stop();
  const empty = createMemoryRuntime({ clock: node.clock, images: 'any' });
  empty.script('init1', { exit: { afterMs: 1_000 } });
  const again = createTestAgent([buildPod({ name: 'p' })], { clock: node.clock, memory: empty, files: node.files, podDirs: node.podDirs });
  await again.agent.start();
  await again.untilReady('p');
  await again.agent.stop();
});
