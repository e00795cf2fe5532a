import { type Metrics, NodeAgentError, noMetrics, type Summary } from '@nodeagent/api';
import { createRecordingLogger, createRecordingRecorder, createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import type { EvictionSettings, MemoryEvents } from './options.js';
import { createTestNode, mib, requesting, type TestNodeOptions, testPod } from './test-node.js';

const hard: EvictionSettings = { evictionHard: { 'memory.available': '100Mi' }, enforceNodeAllocatable: [] };
const soft: EvictionSettings = {
  evictionHard: {},
  evictionSoft: { 'memory.available': '100Mi' },
  evictionSoftGracePeriod: { 'memory.available': '30s' },
};
const disk: EvictionSettings = { evictionHard: { 'nodefs.available': '10%' } };

const names = (pods: readonly { metadata?: { name?: string } }[]) => pods.map(({ metadata }) => metadata?.name);

const testNode = (options: TestNodeOptions) =>
  createTestNode({ clock: createVirtualClock(), recorder: createRecordingRecorder(), logger: createRecordingLogger() }, options);

/** Two pods, of which `hog` goes first. */
function twoPods(settings: EvictionSettings, options: TestNodeOptions = {}) {
  const node = testNode({ settings, pods: [requesting('calm', '300Mi'), requesting('hog', '100Mi')], ...options });
  node.use.set('calm', 200n).set('hog', 300n);
  return node;
}

describe('under pressure', () => {
  it('evicts one pod a look, says why, and looks again at once until there is enough', async () => {
    const node = twoPods(hard);
    await node.manager.start();
    await node.tools.clock.advance(9_000);
    expect([node.asked, node.kills]).toEqual([1, []]);
    node.left.memory = 99n;
    await node.tools.clock.advance(1_000);
    expect(node.kills).toEqual([{ name: 'hog', grace: 1 }]);
    // The look after it saw figures of the same moment, which do not say what the eviction has freed.
    expect(node.asked).toBe(3);
    expect(node.tools.recorder.events).toMatchObject([
      { object: { kind: 'Node', name: 'n1' }, reason: 'EvictionThresholdMet', message: 'Attempting to reclaim memory' },
      { object: { kind: 'Pod', name: 'hog' }, type: 'Warning', reason: 'Evicted', annotations: { starved_resource: 'memory' } },
    ]);
    await node.tools.clock.advance(10_000);
    expect(node.kills.map(({ name }) => name)).toEqual(['hog', 'calm']);
    await node.manager.stop();
    expect(node.tools.clock.pending).toBe(0);
  });

  it('shows the condition at once, evicts after the grace period, and ends the condition a transition period after the last sight', async () => {
    const node = twoPods({ ...soft, evictionMaxPodGracePeriod: 20, evictionPressureTransitionPeriodMs: 60_000 });
    await node.manager.start();
    await node.tools.clock.advance(9_000);
    node.left.memory = 99n;
    await node.tools.clock.advance(1_000);
    expect(node.manager.isUnderMemoryPressure()).toBe(true);
    await node.tools.clock.advance(20_000);
    expect(node.kills).toEqual([]);
    await node.tools.clock.advance(10_000);
    expect(node.kills).toEqual([{ name: 'hog', grace: 20 }]);
    node.left.memory = 500n;
    await node.tools.clock.advance(50_000);
    expect(node.manager.isUnderMemoryPressure()).toBe(true);
    await node.tools.clock.advance(10_000);
    expect(node.manager.isUnderMemoryPressure()).toBe(false);
    await node.manager.stop();
  });

  it('forgets a soft threshold that was not met in between', async () => {
    const node = twoPods(soft);
    await node.manager.start();
    for (const left of [99n, 99n, 101n, 99n, 99n]) {
      node.left.memory = left;
      await node.tools.clock.advance(10_000);
    }
    expect(node.kills).toEqual([]);
    await node.manager.stop();
  });

  it('goes on until the minimum reclaim is free as well', async () => {
    const node = twoPods({ ...hard, evictionMinimumReclaim: { 'memory.available': '100Mi' } });
    await node.manager.start();
    node.left.memory = 99n;
    await node.tools.clock.advance(10_000);
    node.left.memory = 199n;
    await node.tools.clock.advance(10_000);
    expect(node.kills).toHaveLength(2);
    await node.manager.stop();
  });

  it('never evicts twice on the same figures', async () => {
    const node = twoPods(hard);
    node.left.memory = 99n;
    node.statsTime = node.tools.clock.now();
    await node.manager.start();
    await node.tools.clock.advance(600_000);
    expect(node.kills).toHaveLength(1);
    expect(node.manager.isUnderMemoryPressure()).toBe(true);
    await node.manager.stop();
  });

  it('passes over critical pods, and evicts none if there are no others', async () => {
    const node = twoPods(hard, { pods: [testPod('static', { annotations: { 'kubernetes.io/config.source': 'file' } })] });
    node.use.set('static', 800n);
    node.left.memory = 50n;
    expect(await node.manager.synchronize()).toEqual([]);
    expect(node.tools.logger.messages('error')).toEqual([
      'eviction manager: cannot evict a critical pod',
      'eviction manager: no pod can be evicted for lack of memory',
    ]);
  });

  it('treats memory before everything else, and processes by priority', async () => {
    const node = twoPods({ evictionHard: { 'pid.available': '10%', 'memory.available': '100Mi' }, enforceNodeAllocatable: [] });
    node.left.memory = 50n;
    node.left.pids = 50n;
    await node.manager.synchronize();
    node.left.memory = 500n;
    await node.tools.clock.advance(1_000);
    await node.manager.synchronize();
    expect(node.tools.recorder.lines.filter((line) => line.includes('Attempting'))).toEqual([
      'Warning EvictionThresholdMet Attempting to reclaim memory',
      'Warning EvictionThresholdMet Attempting to reclaim pids',
    ]);
    expect([node.manager.isUnderMemoryPressure(), node.manager.isUnderDiskPressure(), node.manager.isUnderPIDPressure()]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('counts evictions and how old the figures were', async () => {
    const counted: unknown[] = [];
    const metrics: Metrics = {
      ...noMetrics,
      counter: ({ name }) => ({ inc: (labels) => void counted.push([name, labels]) }),
      histogram: ({ name }) => ({ observe: (value, labels) => void counted.push([name, value, labels]) }),
    };
    const node = twoPods(hard, { metrics });
    node.left.memory = 50n;
    node.statsTime = node.tools.clock.now() - 1_500;
    await node.manager.synchronize();
    expect(counted).toEqual([
      ['kubelet_eviction_stats_age_seconds', 1.5, { eviction_signal: 'memory.available' }],
      ['kubelet_evictions', { eviction_signal: 'memory.available' }],
    ]);
  });
});

describe('what no pod uses', () => {
  it('is freed first, and no pod is evicted if that is enough', async () => {
    const freed: string[] = [];
    const node = twoPods(disk, {
      reclaim: {
        containers: async () => void freed.push('containers'),
        images: async () => {
          freed.push('images');
          node.left.nodefs = 60n;
        },
      },
    });
    node.left.nodefs = 5n;
    expect(await node.manager.synchronize()).toEqual([]);
    expect(freed).toEqual(['containers', 'images']);
    expect(node.manager.isUnderDiskPressure()).toBe(true);
  });

  it.each([
    ['fails', () => Promise.reject(new Error('busy'))],
    ['hangs', () => new Promise<never>(() => {})],
    ['frees too little', async () => {}],
  ])('that %s does not keep pods from being evicted', async (_, images) => {
    const node = twoPods(disk, { reclaim: { images } });
    node.left.nodefs = 5n;
    expect(names(await node.tools.clock.run(node.manager.synchronize()))).toEqual(['calm']);
  });

  it('a pod that has ended meanwhile is not evicted', async () => {
    const node = twoPods(disk, {
      reclaim: {
        images: async () => {
          node.pods = node.pods.filter(({ metadata }) => metadata?.name !== 'calm');
        },
      },
    });
    node.left.nodefs = 5n;
    expect(names(await node.manager.synchronize())).toEqual(['hog']);
  });

  it('is not asked for on a file system of pods alone', async () => {
    const node = twoPods(disk, {
      reclaim: { images: () => Promise.reject(new Error('not for this file system')) },
      fileSystems: { hasDedicatedImageFs: () => true, hasDedicatedContainerFs: () => false },
    });
    node.left.nodefs = 5n;
    expect(await node.manager.synchronize()).toHaveLength(1);
    expect(node.tools.logger.messages('warn')).toEqual([]);
  });
});

describe('limits of local storage', () => {
  const limited = (name: string) =>
    testPod(name, { containers: [{ name: 'main', image: 'i', resources: { limits: { 'ephemeral-storage': '1Mi' } } }] });

  it('are enforced without any pressure, for several pods at once, and not for critical ones', async () => {
    const critical = { ...limited('critical'), spec: { ...limited('critical').spec, priority: 2_000_000_000 } };
    const node = testNode({ thresholds: [], pods: [limited('a'), critical as never, limited('fine'), limited('b')] });
    const time = new Date(0).toISOString();
    for (const name of ['a', 'b', 'critical']) node.stats.set(name, { 'ephemeral-storage': { time, usedBytes: 2n * mib } });
    node.stats.set('fine', { 'ephemeral-storage': { time, usedBytes: mib } });
    expect(names(await node.manager.synchronize())).toEqual(['a', 'b']);
    expect(node.tools.recorder.lines).toEqual(
      Array(2).fill('Warning Evicted Pod ephemeral local storage usage exceeds the total limit of containers 1Mi. '),
    );
  });

  it('can be off; then nothing is asked for without thresholds', async () => {
    const node = testNode({ thresholds: [], settings: { localStorageCapacityIsolation: false }, pods: [limited('a')] });
    expect(await node.manager.synchronize()).toEqual([]);
    expect(node.asked).toBe(0);
  });
});

describe('when others fail', () => {
  it('a summary that does not come is given up, and what comes late is not acted on', async () => {
    const node = twoPods(hard);
    const answers: ((summary: Summary | undefined) => void)[] = [];
    node.onSummary = () => new Promise((resolve) => answers.push(resolve));
    node.left.memory = 50n;
    await node.manager.start();
    await node.tools.clock.advance(31_000);
    expect(node.manager.explain()).toMatchObject({ lastError: 'no answer within 30000 ms: node usage', conditions: [] });
    answers[0]?.(undefined);
    await node.tools.clock.advance(1_000);
    expect([node.kills, node.manager.isUnderMemoryPressure()]).toEqual([[], false]);
    node.onSummary = undefined;
    await node.tools.clock.advance(10_000);
    expect(node.kills).toHaveLength(1);
    expect(node.manager.explain().lastError).toBeUndefined();
    await node.manager.stop();
  });

  it('a summary that fails evicts nobody, and conditions stay as they were', async () => {
    const node = twoPods(hard);
    node.left.memory = 50n;
    await node.manager.synchronize();
    node.onSummary = () => Promise.reject(new Error('cgroups cannot be read'));
    await node.tools.clock.advance(600_000);
    expect(await node.manager.synchronize()).toEqual([]);
    expect(node.manager.isUnderMemoryPressure()).toBe(true);
    expect(node.manager.explain().lastError).toBe('cgroups cannot be read');
  });

  it('file systems that cannot be told apart fail the look, and the next one asks again', async () => {
    let broken = true;
    const node = twoPods(hard, {
      fileSystems: {
        hasDedicatedImageFs: async () => {
          if (broken) throw new Error('no such device');
          return true;
        },
        hasDedicatedContainerFs: () => Promise.reject(new Error('not supported')),
      },
    });
    node.left.memory = 50n;
    await node.manager.start();
    await node.tools.clock.advance(1_000);
    expect(node.manager.explain().lastError).toBe('no such device');
    broken = false;
    await node.tools.clock.advance(10_000);
    expect(node.kills).toHaveLength(1);
    expect(node.tools.logger.messages('warn')).toEqual(['cannot determine the file system of containers, using that of images']);
    await node.manager.stop();
  });

  it.each([
    ['fails', () => Promise.reject(new NodeAgentError('PodKillTimeout', 'timeout waiting to kill pod'))],
    ['hangs', () => new Promise<never>(() => {})],
  ])('a pod whose kill %s counts as evicted', async (_, killPod) => {
    const node = twoPods(hard, { killPod });
    node.left.memory = 50n;
    expect(names(await node.tools.clock.run(node.manager.synchronize()))).toEqual(['hog']);
    expect(node.tools.clock.monotonic()).toBeLessThanOrEqual(15_000);
    expect(node.tools.logger.messages('error')).toHaveLength(1);
  });

  it('an evicted pod that is not cleaned up holds up the next look for half a minute at most', async () => {
    const node = twoPods(hard, { podCleanedUp: () => false });
    node.left.memory = 50n;
    await node.manager.start();
    await node.tools.clock.advance(29_500);
    expect(node.asked).toBe(1);
    await node.tools.clock.advance(500);
    expect(node.kills).toHaveLength(2);
    await node.manager.stop();
  });

  it.each(['summary', 'kill', 'reclaim', 'cleanup'])('a stop does not wait for a %s that hangs', async (what) => {
    const never = () => new Promise<never>(() => {});
    const node = twoPods(disk, {
      ...(what === 'kill' && { killPod: never }),
      ...(what === 'reclaim' && { reclaim: { images: never } }),
      ...(what === 'cleanup' && { podCleanedUp: () => false }),
    });
    if (what === 'summary') node.onSummary = never;
    node.left.nodefs = 5n;
    await node.manager.start();
    await node.tools.clock.advance(500);
    await node.manager.stop();
    expect(node.tools.clock.pending).toBe(0);
    expect(node.tools.logger.messages('error')).toEqual([]);
  });
});

describe('the life of the manager', () => {
  it('starts and stops as often as it is told, and ends with its signal', async () => {
    const node = twoPods(hard);
    await node.manager.stop();
    await node.manager.start();
    await node.manager.start();
    await node.tools.clock.advance(1_000);
    expect(node.asked).toBe(1);
    await node.manager.stop();
    await node.manager.stop();
    const end = new AbortController();
    await node.manager.start(end.signal);
    await node.tools.clock.advance(1_000);
    expect(node.asked).toBe(2);
    end.abort();
    await node.tools.clock.advance(60_000);
    expect([node.asked, node.tools.clock.pending]).toEqual([2, 0]);
    await node.manager.start(AbortSignal.abort());
    expect(node.tools.clock.pending).toBe(0);
  });

  it('looks once for who ask at the same time', async () => {
    const node = twoPods(hard);
    await Promise.all([node.manager.synchronize(), node.manager.synchronize()]);
    expect(node.asked).toBe(1);
  });

  it('looks at once when memory becomes short, but not for each of many events', async () => {
    let tell = () => {};
    const memoryEvents: MemoryEvents = {
      watch(onEvent) {
        tell = onEvent;
      },
    };
    const node = twoPods(hard, { memoryEvents });
    await node.manager.start();
    await node.tools.clock.advance(4_000);
    node.left.memory = 50n;
    for (let i = 0; i < 100; i++) tell();
    await node.tools.clock.advance(10);
    expect(node.kills).toHaveLength(1);
    for (let i = 0; i < 100; i++) tell();
    await node.tools.clock.advance(10);
    expect(node.asked).toBe(3);
    await node.manager.stop();
  });

  it('does not miss that memory becomes short while it looks', async () => {
    let tell = () => {};
    const memoryEvents: MemoryEvents = {
      watch(onEvent) {
        tell = onEvent;
      },
    };
    const node = twoPods(hard, { memoryEvents });
    node.onSummary = async () => {
      node.onSummary = undefined;
      await node.tools.clock.sleep(100);
      tell();
      return undefined;
    };
    await node.manager.start();
    await node.tools.clock.advance(200);
    expect(node.asked).toBe(2);
    await node.manager.stop();
  });

  it.each([
    [{ nodeName: '' }, 'nodeName'],
    [{ summary: {} }, 'summary'],
    [{ activePods: undefined }, 'activePods'],
    [{ killPod: 1 }, 'killPod'],
    [{ settings: { monitoringIntervalMs: 0 } }, 'settings.monitoringIntervalMs'],
    [{ settings: { evictionPressureTransitionPeriodMs: -1 } }, 'settings.evictionPressureTransitionPeriodMs'],
    [{ settings: { evictionHard: { memory: '1' } } }, 'evictionHard[memory]', 'InvalidEvictionConfig'],
  ])('refuses %j', (wrong, field, code = 'InvalidOption') => {
    expect(() => testNode(wrong as never)).toThrow(expect.objectContaining({ code, details: expect.objectContaining({ field }) }));
  });
});
