import { buildPod, type CriRequest } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createTestAgent } from './test-agent.js';

it('pods with hostUsers: false have ids of their own, over a restart of the agent, until they are gone', async () => {
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

it('hands on what others do for containers', async () => {
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
