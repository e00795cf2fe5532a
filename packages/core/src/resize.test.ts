import type { Pod, PodSource } from '@nodeagent/api';
import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { createMemoryFiles } from '@nodeagent/runtime-manager';
import { buildPod, createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createMemoryPodDirs } from './host/memory-pod-dirs.js';
import { createNodeAgent } from './machine/create-node-agent.js';

const withCpu = (request: string, limit: string): Pod =>
  buildPod({
    name: 'p',
    containers: [{ name: 'c', image: 'busybox:1', resources: { requests: { cpu: request }, limits: { cpu: limit } } }],
  });

it('a pod of the API server that gets more CPU keeps its container and reports the progress', async () => {
  const clock = createVirtualClock();
  const memory = createMemoryRuntime({ clock, images: 'any' });
  const source: PodSource = { name: 'api', start: async () => {}, stop: async () => {}, onPods: undefined };
  const agent = createNodeAgent({
    nodeName: 'node',
    sources: [source],
    cri: memory,
    rootDir: '/var/lib/nodeagent',
    clock,
    random: () => 0.5,
    host: {
      files: createMemoryFiles(),
      podDirs: createMemoryPodDirs(),
      machine: {
        cpus: 4,
        memoryBytes: 2n ** 33n,
        cgroupVersion: 2,
        hugePageSizes: [],
        swapController: false,
        swapBytes: 0n,
        maskedPaths: [],
      },
    },
    hostIps: ['10.0.0.1'],
  });
  const events: string[] = [];
  agent.on('event', ({ reason, message }) => reason.startsWith('Resize') && events.push(`${reason} ${message}`));
  const conditions: string[] = [];
  agent.on('status', (_pod, status) => {
    if (status.conditions?.some(({ type }) => type === 'PodResizeInProgress')) conditions.push('in progress');
  });
  await agent.start();
  source.onPods?.([withCpu('100m', '200m')]);
  await clock.advance(10_000);
  const [before] = memory.containers('c');
  expect(before?.state).toBe('running');

  source.onPods?.([withCpu('150m', '300m')]);
  await clock.advance(5_000);

  const details = '{"containers":[{"name":"c","resources":{"limits":{"cpu":"300m"},"requests":{"cpu":"150m"}}}],"generation":1}';
  expect(events).toEqual([`ResizeStarted Pod resize started: ${details}`, `ResizeCompleted Pod resize completed: ${details}`]);
  expect(conditions.length).toBeGreaterThan(0);
  expect(memory.containers('c')).toMatchObject([{ id: before?.id, state: 'running' }]);
  const status = agent.pods()[0]?.status;
  expect(status?.containerStatuses).toMatchObject([{ restartCount: 0, resources: { requests: { cpu: '150m' }, limits: { cpu: '300m' } } }]);
  expect(status?.conditions?.some(({ type }) => type === 'PodResizeInProgress')).toBe(false);
  await agent.stop();
});
