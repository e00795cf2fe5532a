import { configHashAnnotation, configMirrorAnnotation } from '@nodeagent/api/helpers';
import { describe, expect, it } from 'vitest';
import type { TestAgent } from './test-agent.js';
import { createTestMember, joined, userPod } from './test-member.js';

/** A version of the static pod; its UID is the hash of its manifest. */
const version = (uid: string) =>
  userPod(
    'web-node',
    { nodeName: 'node', enableServiceLinks: true, terminationGracePeriodSeconds: 30 },
    { namespace: 'default', uid, annotations: { [configHashAnnotation]: uid } },
  );

/** The running versions at the start of the first container of `uid`. */
async function besideFirstContainer({ clock, memory }: TestAgent, uid: string): Promise<string[]> {
  const containers = () => memory.containers('main');
  await clock.until(() => containers().some(({ podUid }) => podUid === uid), 120_000);
  return containers().flatMap(({ podUid, state }) => (podUid !== uid && state === 'running' ? [podUid] : []));
}

const runningVersions = ({ memory }: TestAgent) =>
  memory.containers('main').flatMap(({ podUid, state }) => (state === 'running' ? [podUid] : []));

/** Containers need a second to stop. */
const slowStop = { onStop: { afterMs: 1_000 } };

describe('a static pod that changed while no agent ran', () => {
  it.each([true, false])('starts once its previous version has terminated; the API server is reachable: %s', async (reachable) => {
    const first = await joined({ staticPods: [version('v1')] });
    const { clock, memory, server, files, podDirs } = first;
    memory.script('main', slowStop);
    await first.untilReady('web-node', 60_000);
    await first.agent.stop();

    const second = await createTestMember({ clock, server, staticPods: [version('v2')], agent: { memory, files, podDirs } });
    second.setUnreachable(!reachable);
    await second.agent.start();
    expect(await besideFirstContainer(second, 'v2')).toEqual([]);
    await second.untilReady('web-node', 60_000);
    expect(second.agent.pods().map(({ pod }) => pod.metadata?.uid)).toEqual(['v2']);
    second.setUnreachable(false);
    await clock.until(() => second.pod('web-node')?.metadata?.annotations?.[configMirrorAnnotation] === 'v2', 300_000);
    await clock.advance(120_000);
    expect(runningVersions(second)).toEqual(['v2']);
    await second.end();
  });
});

it('a static pod that changes while the API server is unreachable is replaced within its grace period', async () => {
  const member = await createTestMember({ staticPods: [version('v1')] });
  const { clock, memory, source } = member;
  memory.script('main', { onStop: { afterMs: 20_000 } });
  member.setUnreachable(true);
  await member.agent.start();
  await member.untilReady('web-node', 60_000);
  const start = clock.monotonic();
  source.set([version('v2')]);
  expect(await besideFirstContainer(member, 'v2')).toEqual([]);
  expect(clock.monotonic() - start).toBeGreaterThanOrEqual(20_000);
  await member.untilReady('web-node', 60_000);
  await member.end();
});
