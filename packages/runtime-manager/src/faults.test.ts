import { type CriMethod, createMemoryRuntime } from '@nodeagent/memory-runtime';
import { buildPod, createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createTestNode } from './test-node.js';

const pod = buildPod({
  name: 'web',
  initContainers: [{ name: 'i' }, { name: 'side', restartPolicy: 'Always' }],
  containers: [{ name: 'a' }],
});

const methods: CriMethod[] = [
  'listPodSandbox',
  'listContainers',
  'podSandboxStatus',
  'containerStatus',
  'runPodSandbox',
  'createContainer',
  'startContainer',
  'stopContainer',
  'stopPodSandbox',
  'removeContainer',
  'imageStatus',
];

const faults = {
  fails: { error: 'no reason' },
  'loses its response': { dropAfter: true },
  hangs: { hang: true },
  'returns an empty response': { answer: {} as never },
};

describe.each(methods)('%s', (method) => {
  it.each(Object.entries(faults))('that %s once does not prevent the pod from running and terminating', async (_name, fault) => {
    const clock = createVirtualClock();
    const memory = createMemoryRuntime({ clock, images: 'any', recordCalls: 10_000 });
    memory.script('i', { exit: {} });
    const node = createTestNode(memory, clock);
    const attempt = async (step: () => Promise<unknown>) => {
      await clock.run(step().catch(() => undefined));
      await clock.advance(15_000);
    };
    const handle = memory.fault({ method, ...fault });
    for (let round = 0; round < 12; round++) await attempt(() => node.sync(pod));
    const running = () =>
      memory
        .containers()
        .filter(({ state }) => state === 'running')
        .map(({ name }) => name);
    expect(running().sort()).toEqual(['a', 'side']);

    for (let round = 0; round < 4; round++) await attempt(() => node.kill(pod));
    expect(running()).toEqual([]);
    expect(memory.sandboxes().filter(({ ready }) => ready)).toEqual([]);
    for (let round = 0; round < 3; round++) await attempt(() => node.manager.garbageCollect(true));
    expect(clock.pending).toBe(0);
    if (method !== 'removeContainer') expect(handle.hits).toBe(1);
  });
});

describe('a failure of', () => {
  const setUp = (overrides = {}) => {
    const clock = createVirtualClock();
    const memory = createMemoryRuntime({ clock, images: 'any' });
    const lines: string[] = [];
    const recorder = {
      event: (_: unknown, type: string, reason: string, message: string) => void lines.push(`${type} ${reason} ${message}`),
    };
    return { clock, memory, lines, node: createTestNode(memory, clock, { recorder, ...overrides }) };
  };
  const simple = buildPod({ name: 'p', containers: [{ name: 'a' }] });

  it.each([
    ['createContainer', 'CreateContainerError'],
    ['startContainer', 'RunContainerError'],
  ] as const)("%s fails the container with %s and the runtime's message", async (method, code) => {
    const { memory, node, lines } = setUp();
    memory.fault({ method, error: 'exec format error' });
    const { results, error } = await node.sync(simple);
    expect(error).toBeUndefined();
    expect(results.at(-1)).toMatchObject({ action: 'StartContainer', target: 'a', error: { code, message: 'exec format error' } });
    expect(lines.at(-1)).toBe('Warning Failed Error: exec format error');
  });

  it('the sandbox emits an event and ends the sync', async () => {
    const { memory, node, lines } = setUp();
    memory.fault({ method: 'runPodSandbox', error: 'no network' });
    const { results, error } = await node.sync(simple);
    expect(error).toMatchObject({ code: 'CreatePodSandboxError', message: 'no network' });
    expect(results).toHaveLength(1);
    expect(lines).toEqual(['Warning FailedCreatePodSandBox Failed to create pod sandbox: no network']);
  });

  it('the sandbox of a terminating pod is ignored', async () => {
    const podState = {
      isPodTerminationRequested: () => true,
      shouldPodContentBeRemoved: () => false,
      shouldPodRuntimeBeRemoved: () => false,
    };
    const { memory, node, lines } = setUp({ podState });
    memory.fault({ method: 'runPodSandbox', error: 'no network' });
    expect(await node.sync(simple)).toMatchObject({ results: [] });
    expect(lines).toEqual([]);
  });

  it('an image gives its code to the event and the waiting reason', async () => {
    const images = { ensureImageExists: async () => Promise.reject(Object.assign(new Error('no such host'), { code: 'ErrImagePull' })) };
    const { node, lines } = setUp({ images });
    const { results } = await node.sync(simple);
    expect(results.at(-1)?.error).toMatchObject({ code: 'ErrImagePull', message: 'no such host' });
    expect(lines).toEqual(['Warning Failed Error: ErrImagePull']);
  });

  it('the environment fails the container with CreateContainerConfigError', async () => {
    const { node, lines, memory } = setUp({ environment: async () => Promise.reject(new Error('configmap "nope" not found')) });
    const { results } = await node.sync(simple);
    expect(results.at(-1)?.error).toMatchObject({ code: 'CreateContainerConfigError', message: 'configmap "nope" not found' });
    expect(lines).toEqual(['Warning Failed Error: configmap "nope" not found']);
    expect(memory.callsOf('createContainer')).toEqual([]);
  });

  it('an init container keeps the other containers waiting', async () => {
    const { node, memory } = setUp();
    memory.fault({ method: 'startContainer', error: 'broken' });
    const { results } = await node.sync(buildPod({ name: 'p', initContainers: [{ name: 'i' }], containers: [{ name: 'a' }] }));
    expect(results.filter(({ action }) => action === 'StartContainer').map(({ target }) => target)).toEqual(['i']);
  });

  it('a port that throws is reported in the result', async () => {
    const { node } = setUp({
      dns: () => {
        throw new Error('no resolver');
      },
    });
    expect((await node.sync(simple)).error).toMatchObject({ message: 'no resolver', code: 'CreatePodSandboxError' });
  });
});
