import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { buildPod, createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createMemoryFiles } from '../memory-files.js';
import { createTestNode } from '../test-node.js';

function setUp(settings = {}) {
  const clock = createVirtualClock();
  const files = createMemoryFiles();
  const memory = createMemoryRuntime({ clock, images: 'any', files });
  const removable = new Set<string>();
  const stopped = new Set<string>();
  const podState = {
    isPodTerminationRequested: () => false,
    shouldPodContentBeRemoved: (uid: string) => removable.has(uid),
    shouldPodRuntimeBeRemoved: (uid: string) => stopped.has(uid),
  };
  memory.script('a', { exit: { code: 1 }, logs: ['hello'] });
  return { clock, memory, files, removable, stopped, node: createTestNode(memory, clock, { podState, settings }, files) };
}
const pod = buildPod({ name: 'p', uid: 'u', restartPolicy: 'OnFailure', containers: [{ name: 'a' }] });

/** Syncs until the container has failed three times, despite the back-off. */
async function failThrice({ clock, node }: ReturnType<typeof setUp>) {
  for (let round = 0; round < 16; round++) {
    await node.sync(pod);
    await clock.advance(1000);
  }
}

describe('garbageCollect', () => {
  it('keeps the newest dead instance with its log and link, and the sandbox in use', async () => {
    const fixture = setUp();
    await failThrice(fixture);
    const { memory, node, files } = fixture;
    expect(memory.containers('a')).toHaveLength(3);
    await node.manager.garbageCollect(true);
    expect(memory.containers('a').map(({ attempt }) => attempt)).toEqual([2]);
    expect(memory.sandboxes()).toHaveLength(1);
    expect([...files.entries.keys()].filter((path) => path.endsWith('.log')).map((path) => path.replace(/-[0-9a-f]{12,}/, '-ID'))).toEqual([
      '/var/log/pods/default_p_u/a/2.log',
      '/var/log/containers/p_default_a-ID.log',
    ]);
  });

  it('does not count a container that is being started as the newest dead one', async () => {
    const { memory, node, clock, removable } = setUp();
    memory.script('a', [{ exit: { code: 1 } }, { startMs: 60_000 }]);
    await node.sync(pod);
    await clock.advance(1000);
    const restart = node.sync(pod);
    await clock.advance(1000);
    await node.manager.garbageCollect(true);
    expect(memory.containers('a').map(({ attempt, state }) => [attempt, state])).toEqual([
      [0, 'exited'],
      [1, 'created'],
    ]);
    removable.add('u');
    await node.manager.garbageCollect(true);
    expect(memory.containers('a')).toEqual([]);
    await clock.advance(60_000);
    await restart;
  });

  it('removes all containers, sandboxes and logs of a terminated pod, the sandboxes at the latest in the next run', async () => {
    const fixture = setUp();
    await failThrice(fixture);
    const { memory, node, files, removable } = fixture;
    await fixture.node.kill(pod);
    removable.add('u');
    await node.manager.garbageCollect(false);
    expect(memory.containers('a')).toHaveLength(1);
    await node.manager.garbageCollect(true);
    expect([memory.containers(), memory.sandboxes()]).toEqual([[], []]);
    expect([...files.entries.keys()].filter((path) => path.startsWith('/var/log'))).toEqual([]);
  });

  it('removes dead containers also after the clock stepped back, unless they must have a minimum age', async () => {
    for (const [minAgeMs, left] of [
      [0, 1],
      [1_000, 3],
    ] as const) {
      const fixture = setUp({ minAgeMs });
      await failThrice(fixture);
      fixture.clock.jump(-3_600_000);
      await fixture.node.manager.garbageCollect(true);
      expect(fixture.memory.containers('a')).toHaveLength(left);
    }
  });

  it('also removes containers of terminated, undeleted pods to free disk space', async () => {
    const fixture = setUp();
    await failThrice(fixture);
    await fixture.node.kill(pod);
    fixture.stopped.add('u');
    await fixture.node.manager.garbageCollect(true);
    expect(fixture.memory.containers('a')).toHaveLength(1);
    await fixture.node.manager.deleteAllUnusedContainers(true);
    expect(fixture.memory.containers('a')).toEqual([]);
  });

  it('keeps the actuated resources of a pod that starts during a run, so that a later resize is actuated', async () => {
    const fixture = setUp();
    const { memory, node, removable, clock } = fixture;
    await failThrice(fixture);
    await node.kill(pod);
    removable.add('u');
    const slow = memory.fault({ method: 'removePodSandbox', delayMs: 500 });
    const collected = node.manager.garbageCollect(true);
    await clock.advance(100);
    const withCpu = (cpu: string) =>
      buildPod({ name: 'new', uid: 'n', containers: [{ name: 'c', resources: { requests: { cpu }, limits: { cpu } } }] });
    await node.sync(withCpu('100m'));
    await clock.run(collected);
    expect(slow.hits).toBe(1);

    const resized = withCpu('200m');
    expect(node.manager.isPodResizeInProgress(resized, await node.status(resized))).toBe(true);
    await node.sync(resized);
    expect(memory.containers('c')).toMatchObject([{ state: 'running', resources: { cpuQuota: 20_000n } }]);
    expect(node.manager.isPodResizeInProgress(resized, await node.status(resized))).toBe(false);
  });

  it('retries failed removals in the next run', async () => {
    const fixture = setUp();
    await failThrice(fixture);
    fixture.memory.fault({ method: 'removeContainer', error: 'busy' });
    await fixture.node.manager.garbageCollect(true);
    expect(fixture.memory.containers('a')).toHaveLength(2);
    await fixture.node.manager.garbageCollect(true);
    expect(fixture.memory.containers('a')).toHaveLength(1);
  });

  it('removes links to missing logs, except of running containers, whose logs may be in rotation', async () => {
    const fixture = setUp();
    const { node, memory, files } = fixture;
    memory.script('b', { logs: ['x'] });
    await node.sync(buildPod({ name: 'q', uid: 'v', containers: [{ name: 'b' }] }));
    await fixture.clock.advance(1);
    const link = [...files.entries.keys()].find((path) => path.startsWith('/var/log/containers/q_')) ?? '';
    expect(link).not.toBe('');
    await files.remove('/var/log/pods/default_q_v');
    await files.symlink('/var/log/pods/missing.log', '/var/log/containers/old_ns_c-0123456789ab.log');
    await node.manager.garbageCollect(true);
    expect([...files.entries.keys()].filter((path) => path.startsWith('/var/log/containers/'))).toEqual([link]);
  });
});

describe('deleteDeadContainers', () => {
  it('removes older instances of the dead container, or all containers of the pod', async () => {
    const fixture = setUp();
    await failThrice(fixture);
    const { memory, node } = fixture;
    const [newest] = (await node.status(pod)).containerStatuses;
    await node.manager.deleteDeadContainers(await node.status(pod), 'another container', false);
    expect(memory.containers('a')).toHaveLength(3);
    await node.manager.deleteDeadContainers(await node.status(pod), newest?.id ?? '', false);
    expect(memory.containers('a').map(({ attempt }) => attempt)).toEqual([2]);
    await node.manager.deleteDeadContainers(await node.status(pod), newest?.id ?? '', true);
    expect(memory.containers('a')).toEqual([]);
  });
});
