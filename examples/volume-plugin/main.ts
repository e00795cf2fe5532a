/**
 * A custom volume plugin in addition to the agent's: one option of `createNodeAgent` adds it. The pod has a volume of it and an emptyDir;
 * its containers run in memory.
 *     node_modules/.bin/tsx examples/volume-plugin/main.ts
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@nodeagent/api';
import { createNodeAgent, memoryHost } from '@nodeagent/core/node';
import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { buildPod, createManualSource } from '@nodeagent/testing';
import { createScratchPlugin, scratchDriver } from './scratch-plugin.js';

const pod = buildPod({
  name: 'render',
  uid: 'u1',
  volumes: [
    { name: 'work', flexVolume: { driver: scratchDriver, options: { size: '20Gi' } } },
    { name: 'cache', emptyDir: {} },
  ],
  containers: [
    {
      name: 'main',
      image: 'renderer:1',
      volumeMounts: [
        { name: 'work', mountPath: '/work' },
        { name: 'cache', mountPath: '/cache' },
      ],
    },
  ],
});

const rootDir = mkdtempSync(join(tmpdir(), 'volume-plugin-'));
const runtime = createMemoryRuntime({ clock: systemClock, images: 'any', recordCalls: 100 });
const agent = createNodeAgent({
  nodeName: 'edge-1',
  rootDir,
  sources: [createManualSource([pod])],
  cri: { runtime: runtime.runtime, image: runtime.image },
  volumePlugins: [createScratchPlugin({ rootDir, report: console.log })],
  host: memoryHost(),
});

const isRunning = new Promise<void>((resolve) => agent.on('status', (_, { phase }) => phase === 'Running' && resolve()));
await agent.start();
await isRunning;
const created = runtime.callsOf('createContainer')[0]?.request as { config: { mounts: { containerPath: string; hostPath: string }[] } };
for (const { containerPath, hostPath } of created.config.mounts)
  if (hostPath.includes('/volumes/')) console.log(containerPath, 'is', hostPath.replace(rootDir, ''));

await agent.stopPods();
await agent.stop();
rmSync(rootDir, { recursive: true });
