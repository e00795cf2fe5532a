import type { Pod } from '@nodeagent/api';
import type { CreateContainerRequest } from '@nodeagent/cri-api';
import { expect, it } from 'vitest';
import { createTestMember, joined, untilReady, userPod } from './test-member.js';

it('an ephemeral container whose exited record was removed does not run again, not even after a restart of the agent', async () => {
  const member = await joined();
  const { server, clock, memory, pod } = member;
  memory.script('debug', { exit: { afterMs: 1_000, code: 3 } });
  server.objects.create(userPod('web', { nodeName: 'node' }));
  await untilReady(member, 'web');
  const debug = { name: 'debug', image: 'busybox:1' };
  server.objects.update<Pod>('pods', 'web', ({ spec }) => Object.assign(spec ?? {}, { ephemeralContainers: [debug] }), {
    subresource: 'ephemeralcontainers',
  });
  const ended = () => pod('web')?.status?.ephemeralContainerStatuses?.[0]?.state?.terminated;
  await clock.until(() => ended() !== undefined, 30_000);
  const creations = () => {
    const names = memory.callsOf('createContainer').map(({ request }) => (request as CreateContainerRequest).config?.metadata?.name);
    return names.filter((name) => name === 'debug').length;
  };
  expect([creations(), ended()?.exitCode]).toEqual([1, 3]);

  await memory.runtime.removeContainer({ containerId: memory.containers('debug')[0]?.id ?? '' });
  await clock.advance(180_000);
  expect([creations(), ended()?.exitCode]).toEqual([1, 3]);

  await member.agent.stop();
  const next = await createTestMember({ clock, server, agent: { memory, files: member.files, podDirs: member.podDirs } });
  await next.agent.start();
  await clock.advance(180_000);
  expect([creations(), ended()?.exitCode]).toEqual([1, 3]);
  await next.end();
});
