import type { Pod, PodSpec } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import type { CriRequest } from '@nodeagent/memory-runtime';
import { buildPod } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createTestAgent, type TestAgent } from './test-agent.js';

/** Starts an agent with the pods; the test ends it with {@link end}. */
async function started(...args: Parameters<typeof createTestAgent>): Promise<TestAgent> {
  const node = createTestAgent(...args);
  await node.agent.start();
  return node;
}

/** Removes all pods and expects that their containers, sandboxes, files and timers are removed. */
async function end(node: TestAgent): Promise<void> {
  node.source.set([]);
  await node.clock.until(() => node.agent.pods().length === 0, 7_200_000);
  await node.clock.advance(2_000);
  expect(node.memory.containers()).toEqual([]);
  expect(node.memory.sandboxes()).toEqual([]);
  expect([...node.files.entries.keys()]).toEqual([]);
  expect(await node.podDirs.list()).toEqual([]);
  await node.agent.stop();
  expect(node.clock.pending).toBe(0);
}

const containerNames = (node: TestAgent) => node.memory.containers().map(({ name, attempt, state }) => `${name}/${attempt} ${state}`);
/** Names of containers in the order in which they were created. */
const createdNames = (node: TestAgent) =>
  node.memory.callsOf('createContainer').map(({ request }) => (request as CriRequest<'createContainer'>).config?.metadata?.name);

describe('a pod that runs', () => {
  it('starts, is Running and Ready, and terminates without leftovers', async () => {
    const node = await started([buildPod({ name: 'web', containers: ['nginx:1', 'redis:1'] })]);
    await node.untilReady('web');
    expect(node.phase('web')).toBe('Running');
    expect(node.status('web')?.podIP).toBe('10.88.0.2');
    expect(node.status('web')?.hostIP).toBe('192.0.2.1');
    await node.clock.run(node.agent.ready);
    await end(node);
    expect(node.removed).toEqual(['web']);
  });

  it('emits the events of its start in order', async () => {
    const node = await started([buildPod({ name: 'web', initContainers: ['setup:1'], containers: ['nginx:1'] })]);
    node.memory.script('init1', { exit: { afterMs: 1_000 } });
    await node.untilReady('web');
    const here = (image: string) => `Normal Pulled Container image "${image}" already present on machine and can be accessed by the pod`;
    const start = ['Normal Created Container created', 'Normal Started Container started'];
    expect(node.eventLines('web')).toEqual([here('setup:1'), ...start, here('nginx:1'), ...start]);
    expect(node.events.map(({ at }) => at)).toEqual(node.events.map(({ at }) => at).sort());
    await end(node);
  });

  it('runs init containers one after the other, then its containers', async () => {
    const node = await started([buildPod({ name: 'p', initContainers: ['a:1', 'b:1'], containers: ['c:1', 'd:1'] })]);
    node.memory.script({ name: /^init/ }, { exit: { afterMs: 2_000 } });
    await node.clock.advance(1_000);
    expect(node.phase('p')).toBe('Pending');
    expect(containerNames(node)).toEqual(['init1/0 running']);
    await node.untilReady('p');
    expect(createdNames(node)).toEqual(['init1', 'init2', 'main', 'c2']);
    expect(node.status('p')?.initContainerStatuses?.map(({ state }) => state?.terminated?.exitCode)).toEqual([0, 0]);
    await end(node);
  });

  it('starts sidecars before the following containers, and stops them afterwards', async () => {
    const pod = buildPod({
      name: 'p',
      initContainers: [{ name: 'proxy', restartPolicy: 'Always' }, { name: 'setup' }],
      containers: ['c:1'],
    });
    // Without events: with them the exited containers are removed before the test reads them.
    const node = createTestAgent([pod], { settings: { resolvConf: '', evented: 'off' } });
    node.memory.script('setup', { exit: { afterMs: 1_000 } });
    node.memory.script('main', { onStop: { afterMs: 3_000, code: 0 } });
    await node.agent.start();
    await node.untilReady('p');
    expect(createdNames(node)).toEqual(['proxy', 'setup', 'main']);
    expect(containerNames(node)).toEqual(['proxy/0 running', 'setup/0 exited', 'main/0 running']);
    node.source.set([]);
    await node.clock.until(() => node.memory.containers().every(({ state }) => state === 'exited'));
    const stopped = Object.fromEntries(node.memory.containers().map(({ name, finishedAt }) => [name, finishedAt]));
    expect(stopped.proxy).toBeGreaterThanOrEqual(stopped.main ?? 0n);
    await end(node);
  });

  it('is synced every one to one and a half minutes, without a runtime call', async () => {
    const node = await started([buildPod({ name: 'p' })]);
    await node.untilReady('p');
    await node.clock.advance(5_000);
    const before = node.agent.explain(podUid(buildPod({ name: 'p' })))?.lastSync?.startedAt ?? 0;
    await node.clock.advance(90_000);
    expect(node.agent.explain(podUid(buildPod({ name: 'p' })))?.lastSync?.startedAt).toBeGreaterThan(before);
    await end(node);
  });

  // The runtime drops some of the events of 600 pods that start at once: these pods become Running with a resync.
  it('runs 600 times on one node, and is cleaned up, although the runtime drops events', async () => {
    const pods = Array.from({ length: 600 }, (_, i) => buildPod({ name: `p${i}` }));
    const running = new Set<string>();
    const node = createTestAgent(pods, { node: { maxPods: 600 } });
    node.agent.on('status', (pod, { phase }) => void (phase === 'Running' && running.add(podUid(pod))));
    await node.agent.start();
    await node.clock.until(() => running.size === 600, 600_000);
    expect(node.memory.containers()).toHaveLength(600);
    node.source.set([]);
    await node.clock.until(() => node.removed.length === 600, 600_000);
    await end(node);
  });
});

describe('restart policies', () => {
  const job = (restartPolicy: 'Never' | 'OnFailure') => buildPod({ name: 'job', restartPolicy, containers: ['a:1', 'b:1'] });

  it.each([
    ['Never', 0, 0, 'Succeeded', 2],
    ['Never', 0, 3, 'Failed', 2],
    ['OnFailure', 0, 0, 'Succeeded', 2],
  ] as const)('%s with exit codes %i and %i ends %s', async (policy, a, b, phase, starts) => {
    const node = createTestAgent([job(policy)]);
    node.memory.script('main', { exit: { afterMs: 1_000, code: a } });
    node.memory.script('c2', { exit: { afterMs: 3_000, code: b } });
    await node.agent.start();
    await node.clock.until(() => node.phase('job') === phase);
    await node.clock.advance(600_000);
    expect(node.phase('job')).toBe(phase);
    expect(node.memory.callsOf('startContainer')).toHaveLength(starts);
    expect(node.memory.sandboxes().some(({ ready }) => ready)).toBe(false);
    await end(node);
  });

  it('OnFailure restarts a failed container until it succeeds', async () => {
    const node = createTestAgent([job('OnFailure')]);
    node.memory.script('main', [{ exit: { code: 1 } }, { exit: { code: 1 } }, { exit: { code: 0 } }]);
    node.memory.script('c2', { exit: { code: 0 } });
    await node.agent.start();
    await node.clock.until(() => node.phase('job') === 'Succeeded');
    const counts = node.status('job')?.containerStatuses?.map(({ name, restartCount }) => `${name} ${restartCount}`);
    expect(counts).toEqual(['c2 0', 'main 2']);
    await end(node);
  });

  it('a failing init container of a pod that never restarts fails the pod', async () => {
    const node = createTestAgent([buildPod({ name: 'p', restartPolicy: 'Never', initContainers: ['a:1'] })]);
    node.memory.script('init1', { exit: { code: 2 } });
    await node.agent.start();
    await node.clock.until(() => node.phase('p') === 'Failed');
    expect(createdNames(node)).toEqual(['init1']);
    await end(node);
  });

  it('a killed container restarts at once', async () => {
    const node = await started([buildPod({ name: 'p' })]);
    await node.untilReady('p');
    node.memory.kill(node.memory.containers()[0]?.id ?? '');
    await node.clock.until(() => containerNames(node).includes('main/1 running'), 3_000);
    await node.untilReady('p');
    expect(node.status('p')?.containerStatuses?.[0]?.restartCount).toBe(1);
    await end(node);
  });
});

describe('images', () => {
  it('that cannot be pulled block the pod with reason and back-off', async () => {
    const node = createTestAgent([buildPod({ name: 'p', containers: ['registry.test/app:1'] })], { images: [] });
    node.memory.scriptImage('registry.test/app:1', { pullError: 'manifest unknown' });
    await node.agent.start();
    const waiting = () => node.status('p')?.containerStatuses?.[0]?.state?.waiting;
    await node.clock.until(() => waiting()?.reason === 'ErrImagePull');
    expect(waiting()?.message).toContain('manifest unknown');
    await node.clock.until(() => waiting()?.reason === 'ImagePullBackOff');
    await node.clock.advance(300_000);
    const pulls = node.memory.callsOf('pullImage').map(({ at }) => at);
    const gaps = pulls.slice(1).map((at, i) => Math.floor((at - (pulls[i] ?? 0)) / 1_000));
    expect(gaps.slice(0, 4).map((gap, i) => gap >= 10 * 2 ** i && gap <= 10 * 2 ** i + 16)).toEqual([true, true, true, true]);
    node.memory.scriptImage('registry.test/app:1', {});
    await node.untilReady('p', 400_000);
    await end(node);
  });

  it('do not delay the termination of a removed pod', async () => {
    const node = createTestAgent([buildPod({ name: 'p', containers: ['registry.test/huge:1', 'other:1'] })], { images: [] });
    node.memory.scriptImage('registry.test/huge:1', { pullMs: 1_800_000 });
    await node.agent.start();
    await node.clock.advance(10_000);
    expect(node.memory.callsOf('pullImage')).toHaveLength(1);
    node.source.set([]);
    await node.clock.until(() => node.removed.length === 1, 20_000);
    expect(node.memory.callsOf('startContainer')).toEqual([]);
    await end(node);
  });
});

describe('changes', () => {
  it('a new image under the same UID replaces the container', async () => {
    const pod = buildPod({ name: 'p', containers: ['app:1'] });
    const node = await started([pod], { sourceName: 'api' });
    await node.untilReady('p');
    node.source.set([buildPod({ name: 'p', containers: ['app:2'], metadata: { resourceVersion: '2', generation: 2 } })]);
    await node.clock.until(() => node.memory.containers().some(({ image, state }) => image === 'app:2' && state === 'running'));
    expect(node.eventLines('p')).toContain('Normal Killing Container main definition changed, will be restarted');
    expect(node.memory.containers().filter(({ state }) => state === 'running')).toHaveLength(1);
    expect(node.memory.callsOf('runPodSandbox')).toHaveLength(1);
    await end(node);
  });

  it('a static pod waits until a previous one of the same name has terminated', async () => {
    const [before, after] = [buildPod({ name: 'p', uid: 'uid-1' }), buildPod({ name: 'p', uid: 'uid-2' })];
    const node = createTestAgent([before]);
    node.memory.script('main', { onStop: { afterMs: 8_000 } });
    await node.agent.start();
    await node.untilReady('p');
    node.source.set([after]);
    await node.clock.until(() => node.memory.containers().some(({ podUid: uid, state }) => uid === 'uid-2' && state === 'running'));
    const [first, second] = [
      node.memory.containers().find(({ podUid: uid }) => uid === 'uid-1'),
      node.memory.sandboxes().find(({ podUid: uid }) => uid === 'uid-2'),
    ];
    expect(first === undefined || first.finishedAt <= (second?.createdAt ?? 0n)).toBe(true);
    await end(node);
    expect(node.removed).toEqual(['p', 'p']);
  });

  it.each(['Always', 'Never'] as const)('a pod (%s) that is added again while it terminates runs again', async (restartPolicy) => {
    const pod = buildPod({ name: 'p', restartPolicy });
    const node = createTestAgent([pod]);
    node.memory.script('main', { onStop: { afterMs: 5_000, code: 1 } });
    await node.agent.start();
    await node.untilReady('p');
    const first = node.memory.containers()[0]?.id;
    node.source.set([]);
    await node.clock.advance(2_000);
    node.source.set([pod]);
    expect(node.agent.pods()).toHaveLength(1);
    await node.clock.until(() => node.memory.containers().some(({ id, state }) => id !== first && state === 'running'), 60_000);
    await node.untilReady('p');
    expect(node.agent.pods()).toHaveLength(1);
    await end(node);
    expect(node.removed).toEqual(['p']);
  });

  it('a pod deleted in the API server terminates within its grace period', async () => {
    const pod = buildPod({ name: 'p' });
    const node = createTestAgent([pod], { sourceName: 'api' });
    node.memory.script('main', { onStop: 'ignore' });
    await node.agent.start();
    await node.untilReady('p');
    const deleted: Pod = {
      ...pod,
      metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:10Z', deletionGracePeriodSeconds: 7 },
    };
    node.source.set([deleted]);
    const start = node.clock.now();
    await node.clock.until(() => node.memory.containers().every(({ state }) => state === 'exited'));
    expect(node.clock.now() - start).toBeGreaterThanOrEqual(7_000);
    expect(node.clock.now() - start).toBeLessThanOrEqual(8_000);
    await end(node);
  });
});

describe('ends', () => {
  it.each([
    ['within its grace period', { onStop: { afterMs: 4_000, code: 0 } }, 4_000, 0],
    ['with SIGKILL after it if it ignores SIGTERM', { onStop: 'ignore' }, 12_000, 137],
  ] as const)('%s', async (_, behaviour, after, code) => {
    // Without events: with them the exited container is removed before the test reads it.
    const node = createTestAgent([buildPod({ name: 'p', terminationGracePeriodSeconds: 12 })], {
      settings: { resolvConf: '', evented: 'off' },
    });
    node.memory.script('main', behaviour);
    await node.agent.start();
    await node.untilReady('p');
    const start = node.clock.monotonic();
    node.source.set([]);
    await node.clock.until(() => node.memory.containers()[0]?.state === 'exited');
    expect(node.clock.monotonic() - start).toBeGreaterThanOrEqual(after);
    expect(node.clock.monotonic() - start).toBeLessThanOrEqual(after + 1_000);
    expect(node.memory.containers()[0]?.exitCode).toBe(code);
    await end(node);
    expect(node.removed).toEqual(['p']);
  });

  it('after activeDeadlineSeconds, as DeadlineExceeded', async () => {
    const node = await started([buildPod({ name: 'p', activeDeadlineSeconds: 60 })]);
    await node.untilReady('p');
    const begin = Date.parse(node.status('p')?.startTime ?? '');
    await node.clock.until(() => node.phase('p') === 'Failed');
    expect(node.status('p')?.reason).toBe('DeadlineExceeded');
    expect(node.eventLines('p').filter((line) => line.startsWith('Normal DeadlineExceeded'))).toHaveLength(1);
    expect(node.clock.now() - begin).toBeGreaterThanOrEqual(60_000);
    expect(node.clock.now() - begin).toBeLessThan(62_000);
    await node.clock.until(() => node.memory.containers().every(({ state }) => state === 'exited'));
    await end(node);
  });

  it('an orphaned pod of the runtime, with a grace period of one second, raised to two', async () => {
    const node = createTestAgent([buildPod({ name: 'wanted' })]);
    const orphan = buildPod({ name: 'orphan', terminationGracePeriodSeconds: 600 });
    const before = createTestAgent([orphan], { clock: node.clock, memory: node.memory, files: node.files, podDirs: node.podDirs });
    before.memory.script({ pod: 'orphan' }, { onStop: 'ignore' });
    await before.agent.start();
    await before.untilReady('orphan');
    await before.agent.stop();
    await node.agent.start();
    await node.untilReady('wanted');
    await node.clock.until(() => node.memory.containers().every(({ pod }) => pod === 'wanted'), 60_000);
    expect(node.memory.callsOf('stopContainer').map(({ request }) => (request as CriRequest<'stopContainer'>).timeout)).toEqual([2n]);
    await end(node);
  });
});

describe('a pod explained', () => {
  it('shows why its containers were started, and why and when they are retried', async () => {
    const node = createTestAgent([buildPod({ name: 'p' })]);
    node.memory.script({ pod: 'p' }, { exit: { code: 3, afterMs: 1_000 } });
    const explain = () => node.agent.explain(podUid(buildPod({ name: 'p' })));
    await node.agent.start();
    await node.clock.until(() => node.memory.callsOf('startContainer').length === 1);
    await node.clock.advance(500);
    expect(explain()?.lastChange?.reasons).toEqual([
      { action: 'createSandbox', target: '', reason: 'the pod has no sandbox' },
      { action: 'start', target: 'main', reason: 'the sandbox is new' },
    ]);
    await node.clock.until(() => explain()?.lastSync?.error !== undefined);
    const { lastSync, lastChange, nextRetryAt = 0, backOffs, summary } = explain() ?? {};
    expect(lastSync?.cause).toEqual({ event: 'ContainerDied', containerId: expect.any(String) });
    expect(backOffs).toEqual([{ container: 'main', reason: 'CrashLoopBackOff', until: expect.any(Number) }]);
    expect(node.agent.pods()[0]?.status.containerStatuses?.[0]).toMatchObject({
      state: { waiting: { reason: 'CrashLoopBackOff', message: expect.stringContaining('back-off 10s restarting failed container=main') } },
      lastState: { terminated: { reason: 'Error' } },
    });
    expect(Math.abs(Number(backOffs?.[0]?.until) - node.clock.now() - 10_000)).toBeLessThan(1_500);
    expect(node.agent.events(podUid(buildPod({ name: 'p' }))).map(({ reason, count }) => `${reason} ${count}`)).toContain('Started 2');
    const reasons = [{ action: 'start', target: 'main', reason: 'it exited with 3 and its restart policy restarts it' }];
    expect(lastSync).toMatchObject({ reasons, error: expect.stringContaining('back-off 10s restarting failed container') });
    expect(lastChange).toMatchObject({ reasons });
    expect(nextRetryAt).toBeGreaterThan(node.clock.now());
    expect(nextRetryAt).toBeLessThanOrEqual(node.clock.now() + 15_000);
    expect(summary).toMatch(
      /^The last sync failed: .*\. It was to start main \(it exited with 3 and its restart policy restarts it\)\. Next sync in \d+\.\d s\.$/,
    );
    await end(node);
  });
});

describe('a plain pod of a custom source', () => {
  const plain = (spec: Partial<PodSpec> = {}): Pod => ({
    metadata: { name: 'plain' },
    spec: { containers: [{ name: 'main', image: 'i:1' }], ...spec },
  });

  it("runs with the API's defaults", async () => {
    const node = createTestAgent([plain()], { sourceName: 'mine' });
    await node.agent.start();
    await node.untilReady('plain');
    expect(node.agent.pods()[0]?.pod).toMatchObject({
      metadata: { namespace: 'default', uid: expect.stringMatching(/./) },
      spec: { enableServiceLinks: true, restartPolicy: 'Always' },
    });
    await end(node);
  });

  it('that cannot start has a hint in its event and its explanation', async () => {
    const node = createTestAgent([plain({ securityContext: { runAsNonRoot: true, runAsUser: 0 } })], { sourceName: 'mine' });
    await node.agent.start();
    const hint = 'Set runAsUser to a number other than 0.';
    const uid = () => podUid(node.agent.pods()[0]?.pod ?? {});
    await node.clock.until(() => node.agent.explain(uid())?.lastSync?.error !== undefined);
    expect(node.agent.explain(uid())).toMatchObject({ lastSync: { hint }, summary: expect.stringContaining(`(${hint.slice(0, -1)}).`) });
    expect(node.agent.events(uid())).toContainEqual(
      expect.objectContaining({
        reason: 'Failed',
        message: expect.stringMatching(/^Error: container's runAsUser breaks non-root policy/),
        hint,
      }),
    );
    await end(node);
  });
});

describe('a pod that cannot start', () => {
  it("reports a missing network, unless it uses the host's", async () => {
    const node = createTestAgent([buildPod({ name: 'p' }), buildPod({ name: 'host', hostNetwork: true })]);
    node.memory.setCondition('NetworkReady', false, 'NetworkPluginNotReady', 'cni config uninitialized');
    await node.agent.start();
    await node.untilReady('host');
    await node.clock.advance(20_000);
    expect(node.isReady('p')).toBe(false);
    expect(node.eventLines('p')[0]).toContain('Warning NetworkNotReady network is not ready: container runtime network not ready: ');
    node.memory.setCondition('NetworkReady', true);
    await node.untilReady('p', 10_000);
    await end(node);
  });
});

it('lists the image pulls in progress with their pods', async () => {
  const node = createTestAgent([buildPod({ name: 'a', containers: ['slow:1'] }), buildPod({ name: 'b', containers: ['slow:2'] })], {
    images: [],
  });
  node.memory.fault({ method: 'pullImage', delayMs: 60_000 });
  await node.agent.start();
  await node.clock.until(() => node.agent.pulls().length === 2);
  const [first, second] = node.agent.pulls();
  expect(first).toMatchObject({ image: 'slow:1', podUid: podUid(buildPod({ name: 'a' })), state: 'pulling' });
  expect(second).toMatchObject({ image: 'slow:2', podUid: podUid(buildPod({ name: 'b' })), state: 'waiting' });
  await end(node);
});
