import type { Pod } from '@nodeagent/api';
import { findPodCondition, isPodReady } from '@nodeagent/api/helpers';
import { buildPod, createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createTestAgent, type TestAgent, type TestAgentOptions } from '../test-agent.js';
import { createTestCluster, type TestCluster } from '../test-cluster.js';

const node = { metadata: { name: 'node', uid: 'node-uid' } };

interface Member extends TestAgent {
  cluster: TestCluster;
}

async function started(staticPods: readonly Pod[] = [], options: TestAgentOptions = {}): Promise<Member> {
  const clock = createVirtualClock();
  const cluster = createTestCluster(clock);
  cluster.setNode(node);
  const agent = createTestAgent(staticPods, { clock, cluster: cluster.options, ...options });
  await agent.agent.start();
  return { ...agent, cluster };
}

const isReady = ({ cluster }: Member, name: string) => isPodReady(cluster.pod(name) ?? {});
const untilReady = (member: Member, name: string) => member.clock.until(() => isReady(member, name), 60_000);
const running = ({ memory }: Member, pod: string) => memory.containers().filter((each) => each.pod === pod && each.state === 'running');

async function end({ agent, clock }: Member): Promise<void> {
  await agent.stop();
  await clock.advance(10);
  expect(clock.pending).toBe(0);
}

describe('a pod of the API server', () => {
  it('runs, is reported, and is deleted from the API server after its cleanup', async () => {
    const member = await started();
    const { cluster, clock, memory } = member;
    memory.script({ pod: 'web' }, { onStop: { afterMs: 4_000 } });
    cluster.create(buildPod({ name: 'web' }));
    await untilReady(member, 'web');
    expect(cluster.pod('web')?.status).toMatchObject({ phase: 'Running', podIP: '10.88.0.2', hostIP: '192.0.2.1' });
    expect(cluster.calls('get')).toEqual([]);

    cluster.remove('web', 30);
    await clock.advance(3_000);
    expect(cluster.pod('web')?.status?.phase).toBe('Running');
    expect(cluster.calls('delete')).toEqual([]);
    await clock.until(() => cluster.pod('web') === undefined, 10_000);
    expect(running(member, 'web')).toEqual([]);
    expect(cluster.calls('delete')).toEqual(['delete web']);
    await clock.until(() => member.removed.includes('web'), 10_000);
    await end(member);
  });

  it('reports its termination after its containers have stopped, and sends no requests while idle', async () => {
    const member = await started();
    const { cluster, clock, memory } = member;
    memory.script({ pod: 'job' }, { exit: { afterMs: 2_000 } });
    cluster.create(buildPod({ name: 'job', restartPolicy: 'Never' }));
    cluster.create(buildPod({ name: 'web' }));
    await untilReady(member, 'web');
    await clock.until(() => cluster.pod('job')?.status?.phase === 'Succeeded', 60_000);
    expect(findPodCondition(cluster.pod('job')?.status ?? {}, 'Ready')).toMatchObject({ status: 'False', reason: 'PodCompleted' });
    await clock.advance(20_000);
    const { length } = cluster.requests;
    expect(length).toBeLessThanOrEqual(8);
    await clock.advance(3_600_000);
    expect(cluster.requests).toHaveLength(length);
    await end(member);
  });

  it('is reported again after others have changed its status', async () => {
    const member = await started();
    const { cluster, clock } = member;
    cluster.create(buildPod({ name: 'web' }));
    await untilReady(member, 'web');
    cluster.create({ ...cluster.pod('web'), status: { phase: 'Pending' } });
    await clock.advance(11_000);
    expect(isReady(member, 'web')).toBe(true);
    await end(member);
  });
});

describe('a static pod', () => {
  const web = (version = 1) =>
    buildPod({
      name: 'web-node',
      uid: `static-${version}`,
      containers: [`busybox:${version}`],
      annotations: { 'kubernetes.io/config.hash': `static-${version}` },
    });
  const mirrorHash = ({ cluster }: Member) => cluster.pod('web-node')?.metadata?.annotations?.['kubernetes.io/config.mirror'];

  it('has a mirror pod with a separate UID, owned by the node, with its status', async () => {
    const member = await started([web()]);
    await untilReady(member, 'web-node');
    expect(member.cluster.pod('web-node')?.metadata).toMatchObject({
      uid: 'api-1',
      annotations: { 'kubernetes.io/config.mirror': 'static-1' },
      ownerReferences: [{ kind: 'Node', name: 'node', uid: 'node-uid', controller: true }],
    });
    expect(member.cluster.calls('create')).toEqual(['create web-node']);
    await end(member);
  });

  it('survives the deletion of its mirror pod, which is created again', async () => {
    const member = await started([web()]);
    const { cluster, clock } = member;
    await untilReady(member, 'web-node');
    const containers = running(member, 'web-node').map(({ id }) => id);
    for (const grace of [0, 30]) {
      cluster.remove('web-node', grace);
      await clock.advance(1_000);
      await clock.until(() => isReady(member, 'web-node'), 12_000);
    }
    expect(cluster.pod('web-node')?.metadata?.uid).toBe('api-3');
    expect(running(member, 'web-node').map(({ id }) => id)).toEqual(containers);
    await end(member);
  });

  it('gets a new mirror pod after a change, and loses it after its termination', async () => {
    const member = await started([web()]);
    const { cluster, clock, memory, source } = member;
    await untilReady(member, 'web-node');
    source.set([web(2)]);
    await clock.until(() => mirrorHash(member) === 'static-2' && isReady(member, 'web-node'), 60_000);
    memory.script({ pod: 'web-node' }, { onStop: { afterMs: 9_000 } });
    memory.kill(running(member, 'web-node')[0]?.id ?? '');
    await clock.advance(5_000);
    source.set([]);
    await clock.advance(6_000);
    expect([running(member, 'web-node').length, cluster.pod('web-node') === undefined]).toEqual([1, false]);
    await clock.until(() => cluster.pod('web-node') === undefined, 10_000);
    expect(running(member, 'web-node')).toEqual([]);
    await end(member);
  });

  it('runs without an API server, and gets a mirror pod after the node is registered', async () => {
    const clock = createVirtualClock();
    const cluster = createTestCluster(clock);
    cluster.setUnreachable(true);
    const agent = createTestAgent([web()], { clock, cluster: cluster.options });
    const member = { ...agent, cluster };
    await clock.run(agent.agent.start());
    await clock.advance(20_000);
    expect(running(member, 'web-node')).toHaveLength(1);
    expect(cluster.requests).toEqual([]);
    cluster.setUnreachable(false);
    await clock.advance(1_000);
    cluster.setNode(node);
    await clock.advance(100);
    expect(cluster.calls('create')).toEqual(['create web-node']);
    await clock.advance(11_000);
    expect(isReady(member, 'web-node')).toBe(true);
    await end(member);
  });

  it('leaves no mirror pod if it was removed while the agent was stopped', async () => {
    const first = await started([web()]);
    await untilReady(first, 'web-node');
    await first.agent.stop();
    const second = first.again([]);
    await second.agent.start();
    await second.clock.until(() => first.cluster.pod('web-node') === undefined, 60_000);
    expect(second.memory.containers().filter(({ state }) => state === 'running')).toEqual([]);
    await second.agent.stop();
  });
});

describe('an unreachable API server', () => {
  const names = Array.from({ length: 30 }, (_, index) => `p${index}`);

  it('terminates no pod within an hour, and gets all statuses afterwards without a burst of requests', async () => {
    const member = await started();
    const { cluster, clock, memory } = member;
    for (const name of names) cluster.create(buildPod({ name }));
    await clock.until(() => names.every((name) => isReady(member, name)), 120_000);
    await clock.advance(60_000);
    cluster.requests.length = 0;
    cluster.setUnreachable(true);
    await clock.advance(60_000);
    expect(cluster.requests).toEqual([]);
    for (const name of names) memory.kill(running(member, name)[0]?.id ?? '');
    await clock.advance(3_600_000);
    expect(cluster.requests.length).toBeGreaterThan(30);
    expect(cluster.requests.length).toBeLessThan(300);
    for (const name of names) expect(running(member, name)).toHaveLength(1);

    cluster.remove('p0', 5);
    cluster.requests.length = 0;
    cluster.setUnreachable(false);
    await clock.advance(90_000);
    expect(cluster.pod('p0')).toBeUndefined();
    for (const name of names.slice(1))
      expect(cluster.pod(name)?.status?.containerStatuses).toMatchObject([{ restartCount: 1, ready: true }]);
    expect(cluster.requests.length).toBeLessThan(50);
    await end(member);
  });
});
