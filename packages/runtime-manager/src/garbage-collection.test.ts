import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { buildPod, createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createMemoryFiles } from './memory-files.js';
import { createTestNode } from './test-node.js';

function setUp(settings = {}) {
  const clock = createVirtualClock();
  const files = createMemoryFiles();
  const memory = createMemoryRuntime({ clock, images: 'any', files });
  const over = new Set<string>();
  const stopped = new Set<string>();
  const podState = {
    isPodTerminationRequested: () => false,
    shouldPodContentBeRemoved: (uid: string) => over.has(uid),
    shouldPodRuntimeBeRemoved: (uid: string) => stopped.has(uid),
  };
  memory.script('a', { exit: { code: 1 }, logs: ['hello'] });
  return { clock, memory, files, over, stopped, node: createTestNode(memory, clock, { podState, settings }, files) };
}
const pod = buildPod({ name: 'p', uid: 'u', restartPolicy: 'OnFailure', containers: [{ name: 'a' }] });

/** Fails three times: twenty seconds lie between the second and the third start. */
async function failThrice({ clock, node }: ReturnType<typeof setUp>) {
  for (let round = 0; round < 16; round++) {
    await node.sync(pod);
    await clock.advance(1000);
  }
}

describe('garbageCollect', () => {
  it('keeps the newest dead instance with its log and link, and the sandbox in use', async () => {
    const world = setUp();
    await failThrice(world);
    const { memory, node, files } = world;
    expect(memory.containers('a')).toHaveLength(3);
    await node.manager.garbageCollect(true);
    expect(memory.containers('a').map(({ attempt }) => attempt)).toEqual([2]);
    expect(memory.sandboxes()).toHaveLength(1);
    expect([...files.entries.keys()].filter((path) => path.endsWith('.log')).map((path) => path.replace(/-[0-9a-f]{12,}/, '-ID'))).toEqual([
      '/var/log/pods/default_p_u/a/2.log',
      '/var/log/containers/p_default_a-ID.log',
    ]);
  });

  it('does not take a container that is being started for the newest dead one', async () => {
    const { memory, node, clock, over } = setUp();
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
    over.add('u');
    await node.manager.garbageCollect(true);
    expect(memory.containers('a')).toEqual([]);
    await clock.advance(60_000);
    await restart;
  });

  it('takes everything of a pod that is over, its logs too; a sandbox goes a round after its containers at the latest', async () => {
    const world = setUp();
    await failThrice(world);
    const { memory, node, files, over } = world;
    await world.node.kill(pod);
    over.add('u');
    await node.manager.garbageCollect(false);
    expect(memory.containers('a')).toHaveLength(1);
    await node.manager.garbageCollect(true);
    expect([memory.containers(), memory.sandboxes()]).toEqual([[], []]);
    expect([...files.entries.keys()].filter((path) => path.startsWith('/var/log'))).toEqual([]);
  });

  it('takes all that is dead and not needed after the clock was put back, unless it has to be of some age', async () => {
    for (const [minAge, left] of [
      [0, 1],
      [1, 3],
    ] as const) {
      const world = setUp({ minAge });
      await failThrice(world);
      world.clock.jump(-3_600_000);
      await world.node.manager.garbageCollect(true);
      expect(world.memory.containers('a')).toHaveLength(left);
    }
  });

  it('for disk space also takes pods that have stopped but are not deleted', async () => {
    const world = setUp();
    await failThrice(world);
    await world.node.kill(pod);
    world.stopped.add('u');
    await world.node.manager.garbageCollect(true);
    expect(world.memory.containers('a')).toHaveLength(1);
    await world.node.manager.deleteAllUnusedContainers();
    expect(world.memory.containers('a')).toEqual([]);
  });

  it('keeps the resources applied to a pod that starts while it collects: a resize is still seen and carried out', async () => {
    const world = setUp();
    const { memory, node, over, clock } = world;
    await failThrice(world);
    await node.kill(pod);
    over.add('u');
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

  it('leaves what cannot be removed to the next round', async () => {
    const world = setUp();
    await failThrice(world);
    world.memory.fault({ method: 'removeContainer', error: 'busy' });
    await world.node.manager.garbageCollect(true);
    expect(world.memory.containers('a')).toHaveLength(2);
    await world.node.manager.garbageCollect(true);
    expect(world.memory.containers('a')).toHaveLength(1);
  });

  it('removes links whose logs are gone, but not that of a running container, whose log may be about to be rotated', async () => {
    const world = setUp();
    const { node, memory, files } = world;
    memory.script('b', { logs: ['x'] });
    await node.sync(buildPod({ name: 'q', uid: 'v', containers: [{ name: 'b' }] }));
    await world.clock.advance(1);
    const link = [...files.entries.keys()].find((path) => path.startsWith('/var/log/containers/q_')) ?? '';
    expect(link).not.toBe('');
    await files.remove('/var/log/pods/default_q_v');
    await files.symlink('/var/log/pods/gone.log', '/var/log/containers/old_ns_c-0123456789ab.log');
    await node.manager.garbageCollect(true);
    expect([...files.entries.keys()].filter((path) => path.startsWith('/var/log/containers/'))).toEqual([link]);
  });
});

describe('deleteDeadContainers', () => {
  it('removes older instances of the container that died, or all of the pod', async () => {
    const world = setUp();
    await failThrice(world);
    const { memory, node } = world;
    const [newest] = (await node.status(pod)).containerStatuses;
    await node.manager.deleteDeadContainers(await node.status(pod), 'somebody else', false);
    expect(memory.containers('a')).toHaveLength(3);
    await node.manager.deleteDeadContainers(await node.status(pod), newest?.id ?? '', false);
    expect(memory.containers('a').map(({ attempt }) => attempt)).toEqual([2]);
    await node.manager.deleteDeadContainers(await node.status(pod), newest?.id ?? '', true);
    expect(memory.containers('a')).toEqual([]);
  });
});
