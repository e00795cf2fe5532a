import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { buildPod, createManualSource, createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createNodeAgent } from './create-node-agent.js';
import { memoryHost } from './host/memory-host.js';
import { createTestAgent } from './test-agent.js';

const clock = createVirtualClock();
const optionsWith = (options: object) =>
  ({ rootDir: '/nowhere', sources: [createManualSource()], cri: createMemoryRuntime({ clock }), clock, ...options }) as never;

it.each([
  ['host', {}, 'host must be a complete NodeHost such as memoryHost()'],
  [
    'host',
    { host: { files: memoryHost().files } },
    'it lacks machine, machineResources, machineTopology, addresses, stateFile, podDirs, createVolumes',
  ],
  ['server', { host: memoryHost(), server: { healthz: { port: 10_248 } } }, 'server must be absent'],
  ['settings.devicePlugins', { host: memoryHost(), settings: { devicePlugins: true } }, 'settings.devicePlugins must be false'],
])('rejects %s that needs the machine, and names the entry that has it', (field, options, message) => {
  expect(() => createNodeAgent(optionsWith(options))).toThrow(
    expect.objectContaining({ code: 'InvalidOption', message: expect.stringContaining(message), details: { field } }),
  );
  expect(() => createNodeAgent(optionsWith(options))).toThrow('except for createNodeAgent of @nodeagent/core/node');
});

it('runs an agent on an in-memory host', async () => {
  const { clock: time, source, memory } = createTestAgent([buildPod({ name: 'web' })]);
  const host = memoryHost();
  const agent = createNodeAgent({
    nodeName: 'node',
    sources: [source],
    cri: memory,
    rootDir: '/nowhere',
    clock: time,
    settings: { resolvConf: '' },
    host,
  });
  await agent.start();
  await time.until(() => agent.pods()[0]?.status.phase === 'Running', 10_000);
  expect(agent.pods()[0]?.status.hostIPs).toEqual([{ ip: '192.0.2.1' }]);
  expect(await host.podDirs.list()).toHaveLength(1);
  await agent.stop();
});
