import type { CriRequest } from '@nodeagent/memory-runtime';
import { createMemoryFiles } from '@nodeagent/runtime-manager';
import { buildPod } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createMemoryPodDirs } from './host/memory-pod-dirs.js';
import { createTestAgent, testMachine } from './test-agent.js';

it('pods with hostUsers: false have dedicated ids, also after a restart of the agent, until they are removed', async () => {
  const own = (name: string) => buildPod({ name, uid: name, hostUsers: false, securityContext: {}, containers: ['app:1'] });
  const node = createTestAgent([own('a'), own('b')]);
  const firstIds = () =>
    node.memory.callsOf('runPodSandbox').map(({ request }) => {
      const { config } = request as CriRequest<'runPodSandbox'>;
      const { uids, gids } = config?.linux?.securityContext?.namespaceOptions?.usernsOptions ?? {};
      expect(gids).toEqual(uids);
      return `${config?.metadata?.name} ${uids?.[0]?.hostId}`;
    });
  await node.agent.start();
  await node.untilReady('a');
  await node.untilReady('b');
  expect(firstIds().sort()).toEqual(['a 65536', 'b 131072']);
  await node.agent.stop();

  const again = node.again([own('b'), own('c')]);
  await again.agent.start();
  await again.untilReady('c');
  expect(firstIds().at(-1)).toBe('c 196608');
  await again.clock.until(() => again.agent.pods().every(({ pod }) => pod.metadata?.name !== 'a'), 120_000);
  await again.clock.advance(10_000);
  again.source.set([own('b'), own('c'), own('d')]);
  await again.untilReady('d');
  expect(firstIds().at(-1)).toBe('d 65536');
  await again.agent.stop();
});

it('with invalid ids for pods the agent reports why, and runs all pods except those with hostUsers: false', async () => {
  const pods = [
    buildPod({ name: 'own', hostUsers: false, securityContext: {}, containers: ['app:1'] }),
    buildPod({ name: 'other', containers: ['app:1'] }),
  ];
  const podIdsError = 'the user kubelet must have exactly one block of ids';
  const machine = { ...testMachine.machine, podIdsError };
  const files = createMemoryFiles();
  const node = createTestAgent(pods, { files, host: { files, podDirs: createMemoryPodDirs(files), machine } });
  await node.agent.start();
  await node.untilReady('other');
  expect(node.logger.lines).toContainEqual(
    expect.objectContaining({ level: 'warn', fields: { err: new Error(podIdsError) }, message: 'pods cannot have user namespaces' }),
  );
  await node.clock.until(() => node.eventLines('own').some((line) => line.includes('no user namespace mappings are configured')));
  expect(node.isReady('own')).toBe(false);
  await node.agent.stop();
});

it("MemoryQoS throttles containers without a limit by the node's allocatable memory", async () => {
  const resources = { requests: { memory: '256Mi' } };
  const pod = buildPod({ name: 'a', containers: [{ name: 'app', image: 'app:1', resources }] });
  const node = createTestAgent([pod], {
    nodeAllocatable: () => ({ memory: '1Gi' }),
    runtimeOptions: { settings: { featureGates: { MemoryQoS: true }, memoryThrottlingFactor: 0.5 } },
  });
  await node.agent.start();
  await node.untilReady('a');
  const unified = { 'memory.high': String(5 * 2 ** 27) };
  expect(node.memory.callsOf('createContainer')[0]?.request).toMatchObject({ config: { linux: { resources: { unified } } } });
  await node.agent.stop();
});

it('passes container options of other components on', async () => {
  const node = createTestAgent([buildPod({ name: 'a', containers: ['app:1'] })], {
    runtimeOptions: {
      deviceOptions: async () => ({ cdiDevices: [{ name: 'vendor/gpu=0' }] }),
      settings: { seccompDefault: true },
    },
  });
  await node.agent.start();
  await node.untilReady('a');
  const config = { cdiDevices: [{ name: 'vendor/gpu=0' }], linux: { securityContext: { seccomp: { profileType: 'RuntimeDefault' } } } };
  expect(node.memory.callsOf('createContainer')[0]?.request).toMatchObject({ config });
  await node.agent.stop();
});
