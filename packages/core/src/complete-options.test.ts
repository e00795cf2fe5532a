import { defaultNodeName } from '@nodeagent/api/helpers';
import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { buildPod, createManualSource, createVirtualClock } from '@nodeagent/testing';
import { expect, it, onTestFinished } from 'vitest';
import { completeOptions } from './complete-options.js';
import { createNodeAgent } from './create-node-agent.js';
import { memoryHost } from './host/memory-host.js';
import { createOneContainerRuntime } from './test-runtime.js';

const options = { nodeName: 'node', rootDir: '/nowhere', sources: [createManualSource()], host: memoryHost() };

it('runs pods on a runtime without CRI', async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning);
  process.on('warning', onWarning);
  onTestFinished(() => void process.off('warning', onWarning));
  const clock = createVirtualClock();
  const agent = createNodeAgent({
    ...options,
    sources: [createManualSource([buildPod({ name: 'web' })])],
    clock,
    parts: { runtime: () => createOneContainerRuntime(clock) },
  });
  await agent.start();
  await clock.until(() => agent.pods()[0]?.status.phase === 'Running');
  await clock.run(agent.stopPods());
  expect(agent.pods()).toEqual([]);
  await agent.stop();
  expect(clock.pending).toBe(0);
  expect(warnings).toEqual([]);
});

it('requires a runtime', () => {
  expect(() => createNodeAgent(options)).toThrow(
    expect.objectContaining({
      code: 'InvalidOption',
      message: 'cri must be set, unless parts.runtime is, got undefined',
      details: { field: 'cri' },
    }),
  );
});

it('has no containers and images, and rejects other calls', async () => {
  const runtime = createOneContainerRuntime(createVirtualClock());
  const { cri, eviction, settings } = completeOptions({ ...options, parts: { runtime: () => runtime } });
  expect(await cri.runtime.listContainers({})).toEqual({ containers: [] });
  expect(await cri.image.listImages({})).toEqual({ images: [] });
  await expect(cri.runtime.execSync({ containerId: 'a' })).rejects.toMatchObject({ code: 'NotSupported' });
  expect({ eviction, settings }).toEqual({ eviction: false, settings: { evented: 'off', imageGCHighThresholdPercent: 100 } });
});

it('needs no name of the node', () => {
  const { nodeName, ...unnamed } = options;
  expect(completeOptions({ ...unnamed, cri: createMemoryRuntime({ clock: createVirtualClock() }) }).nodeName).toBe(defaultNodeName());
});

it('requires a root directory', () => {
  const { rootDir, ...without } = options;
  const cri = createMemoryRuntime({ clock: createVirtualClock() });
  expect(() => createNodeAgent({ ...without, cri } as never)).toThrow(
    "rootDir must be the path of the agent's root directory, got undefined",
  );
});

it('requires a source of pods without a cluster', () => {
  const { sources, ...without } = options;
  expect(() => createNodeAgent({ ...without, cri: createMemoryRuntime({ clock: createVirtualClock() }) })).toThrow(
    'sources must be a list of at least one pod source',
  );
});

it('starts a runtime of this process first and stops it last', async () => {
  const clock = createVirtualClock();
  const { runtime, image } = createMemoryRuntime({ clock, images: 'any' });
  const calls: string[] = [];
  const agent = createNodeAgent({
    ...options,
    sources: [
      {
        name: 'file',
        start: async () => void calls.push('source starts'),
        stop: async () => void calls.push('source stops'),
      },
    ],
    cri: { runtime, image, start: async () => void calls.push('runtime starts'), stop: async () => void calls.push('runtime stops') },
    clock,
  });
  await agent.start();
  await agent.stop();
  expect(calls).toEqual(['runtime starts', 'source starts', 'source stops', 'runtime stops']);
});
