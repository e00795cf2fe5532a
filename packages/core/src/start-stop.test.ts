import { buildPod } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createTestAgent, type TestAgent } from './test-agent.js';

const pods = [
  buildPod({ name: 'web', containers: ['nginx:1', 'redis:1'] }),
  buildPod({ name: 'crashy' }),
  buildPod({ name: 'job', restartPolicy: 'OnFailure' }),
];

async function allStarted(): Promise<TestAgent> {
  const node = createTestAgent(pods);
  node.memory.script({ pod: 'crashy' }, [{ exit: { afterMs: 1_000, code: 1 } }, { exit: { afterMs: 1_000, code: 1 } }, {}]);
  node.memory.script({ pod: 'job' }, { exit: { afterMs: 2_000 } });
  await node.agent.start();
  await node.clock.until(() => node.isReady('web') && node.isReady('crashy') && node.phase('job') === 'Succeeded');
  await node.clock.advance(90_000);
  return node;
}

const running = (node: TestAgent) => node.memory.containers().flatMap(({ id, state }) => (state === 'running' ? [id] : []));
const restarts = (node: TestAgent, name: string) => node.status(name)?.containerStatuses?.map(({ restartCount }) => restartCount);

describe('starting and stopping', () => {
  it('is idempotent, leaves containers running, and leaves no timer', async () => {
    const node = createTestAgent(pods.slice(0, 1));
    await Promise.all([node.agent.start(), node.agent.start()]);
    await node.agent.start();
    await node.untilReady('web');
    expect(node.memory.callsOf('runPodSandbox')).toHaveLength(1);
    await Promise.all([node.agent.stop(), node.agent.stop()]);
    await node.agent.stop();
    expect(node.clock.pending).toBe(0);
    expect(running(node)).toHaveLength(2);
    const calls = node.memory.calls.length;
    await node.clock.advance(60_000);
    expect(node.memory.calls).toHaveLength(calls);
    await expect(node.agent.start()).rejects.toMatchObject({ code: 'AgentStopped' });
  });

  it('works without a start', async () => {
    const node = createTestAgent(pods);
    await node.agent.stopPods();
    await node.agent.stop();
    expect(node.clock.pending).toBe(0);
    expect(node.memory.calls).toEqual([]);
  });

  it('stops with the signal of its start', async () => {
    const node = createTestAgent(pods.slice(0, 1));
    const controller = new AbortController();
    await node.agent.start(controller.signal);
    await node.untilReady('web');
    controller.abort(new Error('enough'));
    await node.clock.settle();
    expect(node.clock.pending).toBe(0);
    await expect(createTestAgent().agent.start(controller.signal)).rejects.toThrow('enough');
  });

  it('aborts the signals of its parts only once its workers take no more work', async () => {
    const order: string[] = [];
    const node = createTestAgent(pods.slice(0, 1), {
      parts: {
        podWorkers(c, createDefault) {
          const workers = createDefault();
          c.ended.signal.addEventListener('abort', () => order.push('signals aborted'));
          const stop = workers.stop.bind(workers);
          return Object.assign(workers, {
            stop() {
              order.push('workers stopped');
              return stop();
            },
          });
        },
      },
    });
    await node.agent.start();
    await node.untilReady('web');
    await node.agent.stop();
    expect(order).toEqual(['workers stopped', 'signals aborted']);
  });

  it('can be started again when the first start failed', async () => {
    const node = createTestAgent(pods.slice(0, 1));
    const { makeDirectory } = node.files;
    node.files.makeDirectory = async () => {
      throw new Error('read-only file system');
    };
    await expect(node.agent.start()).rejects.toThrow('read-only file system');
    node.files.makeDirectory = makeDirectory;
    await node.agent.start();
    await node.untilReady('web');
    await node.agent.stop();
  });

  it('waits neither for slow containers nor for a hanging runtime', async () => {
    const node = createTestAgent([
      buildPod({ name: 'slow', terminationGracePeriodSeconds: 3_600 }),
      buildPod({ name: 'hung', containers: ['b:1'] }),
    ]);
    node.memory.script({ pod: 'slow' }, { onStop: 'ignore' });
    node.memory.fault({
      method: 'createContainer',
      match: ({ config }) => config?.image?.userSpecifiedImage === 'b:1',
      hang: true,
      times: Number.POSITIVE_INFINITY,
    });
    await node.agent.start();
    await node.untilReady('slow');
    node.source.set([buildPod({ name: 'hung', containers: ['b:1'] })]);
    await node.clock.advance(5_000);
    await node.agent.stop();
    expect(node.clock.pending).toBe(0);
    expect(running(node)).toHaveLength(1);
  });
});

describe('stopPods', () => {
  it('terminates all pods within their grace periods and cleans up', async () => {
    const node = createTestAgent(pods);
    node.memory.script({ pod: 'web' }, { onStop: { afterMs: 4_000 } });
    await node.agent.start();
    await node.clock.until(() => node.isReady('web') && node.isReady('crashy'));
    const begin = node.clock.monotonic();
    await node.clock.run(node.agent.stopPods());
    expect(node.clock.monotonic() - begin).toBeLessThan(7_000);
    expect([node.memory.containers(), node.memory.sandboxes(), node.agent.pods()]).toEqual([[], [], []]);
    expect(node.removed.sort()).toEqual(['crashy', 'job', 'web']);
    await node.agent.stop();
    expect(node.clock.pending).toBe(0);
  });

  it('rejects when its signal aborts, and when the agent is stopped', async () => {
    const node = createTestAgent(pods.slice(0, 1));
    node.memory.script({ pod: 'web' }, { onStop: 'ignore' });
    await node.agent.start();
    await node.untilReady('web');
    const twice = new AbortController();
    const stopping = node.agent.stopPods(twice.signal);
    await node.clock.advance(3_000);
    twice.abort(new Error('interrupted twice'));
    await expect(stopping).rejects.toThrow('interrupted twice');
    await expect(node.agent.stopPods(twice.signal)).rejects.toThrow('interrupted twice');
    const again = node.agent.stopPods();
    await Promise.all([expect(again).rejects.toMatchObject({ code: 'AgentStopped' }), node.agent.stop()]);
    expect(node.clock.pending).toBeLessThanOrEqual(2); // The runtime's own, for the containers that ignore their signal.
  });

  it('waits for a temporarily unreachable runtime', async () => {
    const node = createTestAgent(pods.slice(0, 1));
    await node.agent.start();
    await node.untilReady('web');
    node.memory.crash();
    const stopping = node.agent.stopPods();
    await node.clock.advance(120_000);
    expect(node.agent.pods()).toHaveLength(1);
    node.memory.restart();
    await node.clock.run(stopping);
    expect([node.memory.containers(), node.memory.sandboxes()]).toEqual([[], []]);
    await node.agent.stop();
  });
});

describe('an agent that starts after another one', () => {
  it('restarts no container, keeps restart counts, and continues', async () => {
    const first = await allStarted();
    const before = running(first);
    expect(restarts(first, 'crashy')).toEqual([2]);
    await first.agent.stop();
    await first.clock.advance(600_000);

    const second = first.again();
    second.memory.clearCalls();
    await second.agent.start();
    await second.clock.run(second.agent.ready);
    await second.clock.until(() => second.isReady('web') && second.isReady('crashy') && second.phase('job') === 'Succeeded');
    await second.clock.advance(300_000);
    expect(running(second)).toEqual(before);
    expect(restarts(second, 'crashy')).toEqual([2]);
    for (const method of ['runPodSandbox', 'createContainer', 'startContainer', 'stopContainer'] as const) {
      expect(second.memory.callsOf(method), method).toEqual([]);
    }
    second.memory.kill(before.at(-1) ?? '');
    await second.clock.until(() => restarts(second, 'crashy')?.[0] === 3);
    await second.agent.stop();
    expect(second.clock.pending).toBe(0);
  });

  it('terminates pods removed in the meantime, within their grace period, with their directories', async () => {
    const first = await allStarted();
    await first.agent.stop();
    const second = first.again(pods.slice(1));
    await second.agent.start();
    await second.clock.until(() => second.memory.sandboxes().every(({ pod }) => pod !== 'web'), 120_000);
    await second.clock.advance(5_000);
    expect(await second.podDirs.list()).toEqual(expect.not.arrayContaining([pods[0]?.metadata?.uid]));
    expect([...second.files.entries.keys()].filter((path) => path.includes('web'))).toEqual([]);
    await second.agent.stop();
  });
});

describe('an unreachable runtime', () => {
  it('terminates no container within ten minutes, and is reported', async () => {
    const node = await allStarted();
    const before = running(node);
    node.runtimeErrors.length = 0;
    node.memory.crash();
    await node.clock.advance(600_000);
    expect(node.runtimeErrors[0]?.[0]).toContain('connection refused');
    expect(node.agent.runtimeErrors()[1]).toMatch(/^PLEG is not healthy: pleg was last seen active 10m/);
    expect(node.runtimeErrors.length).toBeLessThanOrEqual(3);
    expect(node.isReady('web')).toBe(true);

    node.memory.restart();
    await node.clock.until(() => node.agent.runtimeErrors().length === 0, 15_000);
    await node.clock.advance(180_000);
    expect(node.runtimeErrors.at(-1)).toEqual([]);
    expect(running(node)).toEqual(before);
    expect(node.isReady('web') && node.isReady('crashy')).toBe(true);
    await node.agent.stop();
  });

  it('is relisted afterwards', async () => {
    const node = await allStarted();
    node.memory.crash();
    await node.clock.advance(60_000);
    for (const { id, state, pod } of node.memory.containers()) if (state === 'running' && pod === 'web') node.memory.kill(id);
    node.source.set([pods[0], buildPod({ name: 'new' })].filter((pod) => pod !== undefined));
    await node.clock.advance(60_000);
    node.memory.restart();
    await node.clock.until(() => restarts(node, 'web')?.every((count) => count === 1) ?? false, 60_000);
    await node.untilReady('new', 60_000);
    await node.clock.until(() => node.removed.includes('crashy'), 60_000);
    await node.agent.stop();
  });

  it('that returns after a power loss restarts all pods', async () => {
    const node = await allStarted();
    node.memory.crash();
    node.memory.reboot();
    await node.clock.advance(10_000);
    node.memory.restart();
    await node.clock.until(() => running(node).length === 3, 120_000);
    await node.untilReady('web');
    expect(restarts(node, 'web')).toEqual([1, 1]);
    expect(node.phase('job')).toBe('Succeeded');
    await node.agent.stop();
  });

  it('is awaited at the start', async () => {
    const node = createTestAgent(pods.slice(0, 1));
    node.memory.crash();
    await node.agent.start();
    await node.clock.advance(400_000);
    expect(node.runtimeErrors[0]?.[0]).toContain('connection refused');
    node.memory.restart();
    await node.untilReady('web', 5_000);
    await node.clock.run(node.agent.ready, 5_000);
    await node.agent.stop();
    expect(node.clock.pending).toBe(0);
  });

  it('is awaited while it hangs at the start, and its pods are recovered', async () => {
    const first = await allStarted();
    await first.agent.stop();
    const node = first.again([]);
    const hang = node.memory.fault({ method: '*', hang: true, times: Number.POSITIVE_INFINITY });
    await node.agent.start();
    await node.clock.advance(60_000);
    expect(node.runtimeErrors.at(-1)?.[0]).toBe('container runtime is down: it does not respond');
    hang.remove();
    await node.clock.until(() => running(node).length === 0, 600_000);
    await node.agent.stop();
  });

  it('reports why it is not ready', async () => {
    const node = await allStarted();
    node.memory.setCondition('RuntimeReady', false, 'Restarting', 'content store is locked');
    await node.clock.until(() => node.agent.runtimeErrors().length > 0, 10_000);
    expect(node.agent.runtimeErrors()).toEqual([
      'container runtime not ready: RuntimeReady=false reason:Restarting message:content store is locked',
    ]);
    node.memory.setCondition('RuntimeReady', true);
    await node.clock.until(() => node.agent.runtimeErrors().length === 0, 10_000);
    await node.agent.stop();
  });
});
