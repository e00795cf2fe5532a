import { isPodReady } from '@nodeagent/api/helpers';
import { seededRandom } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { conditionOf, createTestMember, joined, running, type TestMember, untilReady, userPod } from './test-member.js';

const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 1e6));
const names = Array.from({ length: 10 }, (_, index) => `p${index}`);

async function withPods(): Promise<TestMember> {
  const member = await joined();
  for (const name of names) member.server.objects.create(userPod(name));
  for (const name of names) await untilReady(member, name);
  await member.clock.advance(60_000);
  return member;
}

/** Restarts the only container of each pod behind the agent's back. */
function killAll({ memory }: TestMember): void {
  for (const { id, state } of memory.containers()) if (state === 'running') memory.kill(id);
}

const restarts = (member: TestMember, name: string) => member.pod(name)?.status?.containerStatuses?.[0]?.restartCount;
const isCurrent = (member: TestMember, name: string) => restarts(member, name) === 1 && isPodReady(member.pod(name) ?? {});
const requestsPerMinute = (member: TestMember, minutes: number) => member.requests.length / minutes;

describe('an unreachable API server', () => {
  it.each([10, 60])(
    'terminates no pod within %i minutes, and gets all statuses afterwards',
    async (minutes) => {
      const member = await withPods();
      const { clock, server } = member;
      const before = member.memory.containers().length;
      member.setUnreachable(true);
      member.requests.length = 0;
      await clock.advance(60_000);
      expect(member.agent.clusterError()).toMatch(/^cannot reach API server .*ECONNREFUSED/);
      killAll(member);
      await clock.advance((minutes - 1) * 60_000);
      expect(running(member).sort()).toEqual([...names].sort());
      expect(member.memory.containers().length).toBeLessThanOrEqual(before * 2);
      // Five watches that try again each half minute, heartbeats each 10 s in five tries, statuses, and one event each 10 s.
      expect(requestsPerMinute(member, minutes)).toBeLessThan(80);

      server.objects.delete('pods', 'p0');
      member.requests.length = 0;
      member.setUnreachable(false);
      const came = clock.monotonic();
      await clock.until(
        () => conditionOf(member.node(), 'Ready') === 'True' && names.slice(1).every((name) => isCurrent(member, name)),
        60_000,
      );
      await clock.until(() => member.pod('p0') === undefined, 60_000);
      expect(clock.monotonic() - came).toBeLessThan(61_000);
      expect(member.requests.length).toBeLessThan(100);
      const busiest = Math.max(
        ...[...member.requests].map(
          ({ at }, index) => member.requests.filter((other, after) => after >= index && other.at < at + 1_000).length,
        ),
      );
      expect(busiest).toBeLessThan(60);
      expect(member.agent.clusterError()).toBeUndefined();
      expect(await member.end()).toBe(0);
    },
    60_000,
  );

  it("does not block static pods at the agent's start, and the node joins later", async () => {
    const annotations = { 'kubernetes.io/config.hash': 'h' };
    const etcd = userPod('etcd-node', { nodeName: 'node', enableServiceLinks: true }, { namespace: 'default', uid: 'h', annotations });
    const member = await createTestMember({ staticPods: [etcd] });
    member.setUnreachable(true);
    await member.clock.run(member.agent.start());
    await member.clock.advance(600_000);
    expect(running(member)).toEqual(['etcd-node']);
    expect(member.node()).toBeUndefined();
    expect(member.agent.clusterError()).toMatch(/^cannot reach API server/);
    member.setUnreachable(false);
    await untilReady(member, 'etcd-node', 60_000);
    expect(conditionOf(member.node(), 'Ready')).toBe('True');
    await member.end();
  });
});

describe('a restarted agent', () => {
  const again = ({ clock, server, memory, files, podDirs }: TestMember) =>
    createTestMember({ clock, server, agent: { memory, files, podDirs } });

  it('keeps the pods of the previous run while the API server is unreachable, and terminates deleted ones afterwards', async () => {
    const first = await joined();
    for (const name of ['kept', 'deleted']) first.server.objects.create(userPod(name));
    for (const name of ['kept', 'deleted']) await untilReady(first, name);
    await first.agent.stop();
    const ids = first.memory.containers().map(({ id }) => id);

    const second = await again(first);
    second.setUnreachable(true);
    await second.clock.run(second.agent.start());
    first.server.objects.delete('pods', 'deleted', { gracePeriodSeconds: 0 });
    await second.clock.advance(600_000);
    expect(running(second).sort()).toEqual(['deleted', 'kept']);
    expect(second.memory.containers().map(({ id }) => id)).toEqual(ids);

    second.setUnreachable(false);
    await second.clock.until(() => running(second).join() === 'kept', 90_000);
    await second.clock.advance(30_000);
    expect(restarts(second, 'kept')).toBe(0);
    expect(isPodReady(second.pod('kept') ?? {})).toBe(true);
    await second.end();
  });

  it('runs stopped pods again, as after a reboot, without reporting a termination', async () => {
    const first = await joined();
    first.server.objects.create(userPod('web'));
    await untilReady(first, 'web');
    await first.clock.run(first.agent.stopPods());
    expect(running(first)).toEqual([]);
    expect(first.pod('web')?.status?.phase).toBe('Running');
    await first.agent.stop();
    const second = await again(first);
    await second.agent.start();
    await second.clock.until(() => isCurrent(second, 'web'), 60_000);
    await second.end();
  });

  it('terminates a pod of the previous run and starts its replacement of the same name', async () => {
    const first = await joined();
    first.server.objects.create(userPod('web'));
    await untilReady(first, 'web');
    await first.agent.stop();
    const old = first.pod('web')?.metadata?.uid;
    first.server.objects.delete('pods', 'web', { gracePeriodSeconds: 0 });
    first.server.objects.create(userPod('web'));

    const second = await again(first);
    await second.agent.start();
    await untilReady(second, 'web');
    await second.clock.until(() => running(second).length === 1, 10_000);
    const left = second.memory.containers().find(({ state }) => state === 'running');
    expect(left?.podUid).toBe(second.pod('web')?.metadata?.uid);
    expect(left?.podUid).not.toBe(old);
    await second.end();
  });
});

describe(`a bad API server (TEST_SEED=${seed})`, () => {
  it('loses no change when watches break at random', async () => {
    const random = seededRandom(seed);
    const member = await joined();
    const { clock, server } = member;
    const wanted = new Set<string>();
    for (let step = 0; step < 60; step++) {
      server.dropWatches((['end', 'cut', 'expire'] as const)[Math.floor(random() * 3)]);
      if (random() < 0.2) server.forgetHistory();
      const name = `w${step}`;
      if (random() < 0.6) {
        server.objects.create(userPod(name));
        wanted.add(name);
      } else {
        const [oldest] = wanted;
        if (oldest) server.objects.delete('pods', oldest);
        if (oldest) wanted.delete(oldest);
      }
      await clock.advance(random() * 10_000);
    }
    // A watch that fails every few seconds is retried after 30 to 60 s in the end; then pods start and end.
    await clock.until(() => running(member).sort().join() === [...wanted].sort().join(), 120_000);
    for (const name of wanted) await untilReady(member, name);
    await clock.until(() => server.objects.list('pods').length === wanted.size, 60_000);
    for (const name of wanted) expect(restarts(member, name)).toBe(0);
    await member.end();
  });

  it('gets every status despite 429, 409 and 500, without a burst of requests', async () => {
    const member = await createTestMember({ serverOptions: { random: seededRandom(seed) } });
    const { clock, server } = member;
    await member.clock.run(member.agent.start());
    for (const status of [429, 409, 500])
      server.fault({ match: ({ verb }) => verb !== 'watch', status, probability: 0.2, times: Infinity });
    for (const name of names) server.objects.create(userPod(name));
    await clock.until(() => running(member).length === names.length, 300_000);
    killAll(member);
    member.requests.length = 0;
    await clock.advance(600_000);
    expect(requestsPerMinute(member, 10)).toBeLessThan(80);
    for (const name of names) expect(isCurrent(member, name), name).toBe(true);
    expect(member.calls(/^post events$/)).toBeLessThan(names.length * 8);
    expect(conditionOf(member.node(), 'Ready')).toBe('True');
    await member.end();
  });
});
