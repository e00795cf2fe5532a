import { type Metrics, NodeAgentError, noMetrics, type Summary } from '@nodeagent/api';
import { createRecordingLogger, createRecordingRecorder, createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import type { MemoryEvents } from './options.js';
import type { EvictionSettings } from './settings.js';
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

/** Two pods, of which `hog` is evicted first. */
function twoPods(settings: EvictionSettings, options: TestNodeOptions = {}) {
  const node = testNode({ settings, pods: [requesting('calm', '300Mi'), requesting('hog', '100Mi')], ...options });
  node.use.set('calm', 200n).set('hog', 300n);
  return node;
}

describe('under pressure', () => {
  it('evicts one pod per evaluation with an event, and evaluates again after a second until enough is available', async () => {
    const node = twoPods(hard);
    await node.manager.start();
    await node.tools.clock.advance(9_000);
    expect([node.asked, node.kills]).toEqual([1, []]);
    node.left.memory = 99n;
    await node.tools.clock.advance(1_000);
    expect(node.kills).toEqual([{ name: 'hog', grace: 1 }]);
    expect(node.asked).toBe(2);
    expect(node.tools.recorder.events).toMatchObject([
      { object: { kind: 'Node', name: 'n1' }, reason: 'EvictionThresholdMet', message: 'Attempting to reclaim memory' },
      { object: { kind: 'Pod', name: 'hog' }, type: 'Warning', reason: 'Evicted', annotations: { starved_resource: 'memory' } },
    ]);
    // Only the usage measured then does not include what the eviction has freed.
    await node.tools.clock.advance(1_000);
    expect(node.asked).toBe(3);
    expect(node.kills.map(({ name }) => name)).toEqual(['hog', 'calm']);
    await node.manager.stop();
    expect(node.tools.clock.pending).toBe(0);
  });

  it('sets the condition immediately, evicts after the grace period, and clears the condition a transition period after it was last met', async () => {
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
    await node.tools.clock.advance(11_000);
    expect(node.manager.isUnderMemoryPressure()).toBe(false);
    await node.manager.stop();
  });

  it('restarts the grace period of a soft threshold that was not met in between', async () => {
    const node = twoPods(soft);
    await node.manager.start();
    for (const left of [99n, 99n, 101n, 99n, 99n]) {
      node.left.memory = left;
      await node.tools.clock.advance(10_000);
    }
    expect(node.kills).toEqual([]);
    await node.manager.stop();
  });

  it('continues until the minimum reclaim is available too', async () => {
    const node = twoPods({ ...hard, evictionMinimumReclaim: { 'memory.available': '100Mi' } });
    await node.manager.start();
    node.left.memory = 99n;
    await node.tools.clock.advance(10_000);
    node.left.memory = 199n;
    await node.tools.clock.advance(10_000);
    expect(node.kills).toHaveLength(2);
    await node.manager.stop();
  });

  it('never evicts twice on the same stats', async () => {
    const node = twoPods(hard);
    node.left.memory = 99n;
    node.statsTime = node.tools.clock.now();
    await node.manager.start();
    await node.tools.clock.advance(600_000);
    expect(node.kills).toHaveLength(1);
    expect(node.manager.isUnderMemoryPressure()).toBe(true);
    await node.manager.stop();
  });

  it('skips critical pods, and evicts none if there are no others', async () => {
    const node = twoPods(hard, { pods: [testPod('static', { annotations: { 'kubernetes.io/config.source': 'file' } })] });
    node.use.set('static', 800n);
    node.left.memory = 50n;
    expect(await node.manager.synchronize()).toEqual([]);
    expect(node.tools.logger.messages('error')).toEqual([
      'eviction manager: cannot evict a critical pod',
      'eviction manager: no pod can be evicted for lack of memory',
    ]);
  });

  it('handles memory before other resources, and ranks by priority for processes', async () => {
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

  it('counts evictions and observes the age of the stats', async () => {
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

describe('node-level reclaim', () => {
  it('runs first, and no pod is evicted if it frees enough', async () => {
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
  ])('that %s does not prevent an eviction', async (_, images) => {
    const node = twoPods(disk, { reclaim: { images } });
    node.left.nodefs = 5n;
    expect(names(await node.tools.clock.run(node.manager.synchronize()))).toEqual(['calm']);
  });

  it.each([
    [14n, ['calm']],
    [16n, []],
  ])('has to free the minimum reclaim too: %s GiB of 10 + 5', async (left, evicted) => {
    const node = twoPods(
      { ...disk, evictionMinimumReclaim: { 'nodefs.available': '5Gi' } },
      {
        reclaim: {
          images: async () => {
            node.left.nodefs = left;
          },
        },
      },
    );
    node.left.nodefs = 9n;
    expect(names(await node.manager.synchronize())).toEqual(evicted);
  });

  it('does not evict a pod that terminated during the reclaim', async () => {
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

  it('is not called for a file system without images and writable layers', async () => {
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

  it('are enforced without pressure, for several pods in one evaluation, and not for critical pods', async () => {
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

  it('do not apply to a pod that terminates while another one is evicted', async () => {
    const node = testNode({
      thresholds: [],
      pods: [limited('a'), limited('b')],
      async killPod() {
        node.pods = [];
      },
    });
    const time = new Date(0).toISOString();
    for (const name of ['a', 'b']) node.stats.set(name, { 'ephemeral-storage': { time, usedBytes: 2n * mib } });
    expect(names(await node.manager.synchronize())).toEqual(['a']);
    expect(node.tools.recorder.lines).toHaveLength(1);
  });

  it('can be disabled; without thresholds the summary is then not requested', async () => {
    const node = testNode({ thresholds: [], settings: { localStorageCapacityIsolation: false }, pods: [limited('a')] });
    expect(await node.manager.synchronize()).toEqual([]);
    expect(node.asked).toBe(0);
  });
});

describe('faults of the ports', () => {
  it('abandons a summary that hangs, and ignores a late one', async () => {
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
    await node.tools.clock.until(() => node.kills.length === 1);
    expect(node.manager.explain().lastError).toBeUndefined();
    await node.manager.stop();
  });

  it('evicts no pod and keeps the conditions if the summary fails', async () => {
    const node = twoPods(hard);
    node.left.memory = 50n;
    await node.manager.synchronize();
    node.onSummary = () => Promise.reject(new Error('cgroups cannot be read'));
    await node.tools.clock.advance(600_000);
    expect(await node.manager.synchronize()).toEqual([]);
    expect(node.manager.isUnderMemoryPressure()).toBe(true);
    expect(node.manager.explain().lastError).toBe('cgroups cannot be read');
  });

  it('fails the evaluation if the file-system layout is unknown, and detects it again in the next one', async () => {
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
    await node.tools.clock.until(() => node.kills.length === 1);
    expect(node.tools.logger.messages('warn')).toEqual(['cannot determine the file system of containers, using that of images']);
    await node.manager.stop();
  });

  it.each([
    ['fails', () => Promise.reject(new NodeAgentError('PodKillTimeout', 'timeout waiting to kill pod'))],
    ['hangs', () => new Promise<never>(() => {})],
  ])('counts a pod whose kill %s as evicted', async (_, killPod) => {
    const node = twoPods(hard, { killPod });
    node.left.memory = 50n;
    expect(names(await node.tools.clock.run(node.manager.synchronize()))).toEqual(['hog']);
    expect(node.tools.clock.monotonic()).toBeLessThanOrEqual(15_000);
    expect(node.tools.logger.messages('error')).toHaveLength(1);
  });

  it('waits one and a half grace periods for the kill of a pod, and 5 s for its report', async () => {
    const node = twoPods({ ...soft, evictionMaxPodGracePeriod: 20 }, { killPod: () => new Promise<never>(() => {}) });
    node.left.memory = 99n;
    await node.manager.start();
    await node.tools.clock.until(() => node.tools.recorder.events.some(({ reason }) => reason === 'Evicted'));
    await node.tools.clock.advance(34_999);
    expect(node.tools.logger.messages('error')).toEqual([]);
    await node.tools.clock.advance(1);
    expect(node.tools.logger.messages('error')).toEqual(['eviction manager: pod failed to evict']);
    await node.manager.stop();
  });

  it('waits at most 30 s for the cleanup of an evicted pod', async () => {
    const node = twoPods(hard, { podCleanedUp: () => false });
    node.left.memory = 50n;
    await node.manager.start();
    await node.tools.clock.advance(29_500);
    expect(node.asked).toBe(1);
    await node.tools.clock.advance(500);
    expect(node.kills).toHaveLength(2);
    await node.manager.stop();
  });

  it.each(['summary', 'kill', 'reclaim', 'cleanup'])('stop does not wait for a hanging %s', async (what) => {
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

describe('the evaluation loop', () => {
  it('starts and stops repeatedly, and stops when the signal of start aborts', async () => {
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

  it('shares one evaluation among concurrent calls of synchronize', async () => {
    const node = twoPods(hard);
    await Promise.all([node.manager.synchronize(), node.manager.synchronize()]);
    expect(node.asked).toBe(1);
  });

  it('evaluates immediately on a memory event, but not for each of many events', async () => {
    let notify = () => {};
    const memoryEvents: MemoryEvents = {
      watch(onEvent) {
        notify = onEvent;
      },
    };
    const node = twoPods(hard, { memoryEvents });
    await node.manager.start();
    await node.tools.clock.advance(4_000);
    node.left.memory = 50n;
    for (let i = 0; i < 100; i++) notify();
    await node.tools.clock.advance(10);
    expect(node.kills).toHaveLength(1);
    for (let i = 0; i < 100; i++) notify();
    await node.tools.clock.advance(1_000);
    expect(node.asked).toBe(3);
    await node.manager.stop();
  });

  it('evaluates again after a memory event during an evaluation', async () => {
    let notify = () => {};
    const memoryEvents: MemoryEvents = {
      watch(onEvent) {
        notify = onEvent;
      },
    };
    const node = twoPods(hard, { memoryEvents });
    node.onSummary = async () => {
      node.onSummary = undefined;
      await node.tools.clock.sleep(100);
      notify();
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
  ])('rejects %j', (wrong, field, code = 'InvalidOption') => {
    expect(() => testNode(wrong as never)).toThrow(expect.objectContaining({ code, details: expect.objectContaining({ field }) }));
  });
});
