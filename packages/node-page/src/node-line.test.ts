import type { Level } from '@nodeagent/pod-view/health';
import { describe, expect, it } from 'vitest';
import { nodeLine, verdictOf } from './node-line.js';
import type { PageEviction } from './options.js';
import { pressureBars } from './pressure.js';
import { TestPageAgent } from './test-agent.js';

/** How the agent explains these signals. */
const names: Record<string, { displayName: string; unit: 'bytes' | 'count' }> = {
  'memory.available': { displayName: 'memory', unit: 'bytes' },
  'allocatableMemory.available': { displayName: "pods' memory", unit: 'bytes' },
  'nodefs.inodesFree': { displayName: 'inodes', unit: 'count' },
  'pid.available': { displayName: 'processes', unit: 'count' },
};

const threshold = (signal: string, available: string, capacity: string, level: string, more: object = {}) => ({
  signal,
  gracePeriodSeconds: 0,
  ...(names[signal] ?? { displayName: 'disk', unit: 'bytes' as const }),
  available,
  capacity,
  level,
  ...more,
});

describe('pressure bars', () => {
  it('show usage and thresholds, one for signals with the same usage', () => {
    const bars = pressureBars({
      thresholds: [
        threshold('memory.available', '4Gi', '16Gi', '1Gi'),
        threshold('memory.available', '4Gi', '16Gi', '2Gi', { gracePeriodSeconds: 90 }),
        threshold('nodefs.available', '17Gi', '100Gi', '10Gi'),
        threshold('imagefs.available', '17Gi', '100Gi', '15Gi'),
        threshold('nodefs.inodesFree', '900', '1000', '50'),
        threshold('pid.available', '10', '1000', '100', { evictsAt: 5 }),
        { signal: 'containerfs.available', gracePeriodSeconds: 0, displayName: 'disk', unit: 'bytes' },
        threshold('allocatableMemory.available', '0', '0', '0'),
      ],
    });
    expect(bars).toEqual([
      {
        name: 'memory',
        signals: ['memory.available'],
        unit: 'bytes',
        used: 12 * 2 ** 30,
        capacity: 16 * 2 ** 30,
        usedPercent: 75,
        level: 'ok',
        marks: [
          { percent: 87.5, left: 2 * 2 ** 30, signals: ['memory.available'], gracePeriodSeconds: 90 },
          { percent: 93.8, left: 2 ** 30, signals: ['memory.available'], gracePeriodSeconds: 0 },
        ],
      },
      expect.objectContaining({ name: 'disk', signals: ['nodefs.available', 'imagefs.available'], usedPercent: 83, level: 'warn' }),
      expect.objectContaining({ name: 'inodes', unit: 'count', used: 100, level: 'ok' }),
      expect.objectContaining({ name: 'processes', level: 'bad', marks: [expect.objectContaining({ evictsAt: 5 })] }),
    ]);
  });

  it('list a threshold once for all signals that have it', () => {
    const disks = ['nodefs.available', 'imagefs.available', 'containerfs.available'];
    const [bar] = pressureBars({
      thresholds: disks.map((signal) => threshold(signal, '17Gi', '100Gi', signal.startsWith('imagefs') ? '15Gi' : '10Gi')),
    });
    expect(bar?.marks.map(({ left, signals }) => [left / 2 ** 30, signals])).toEqual([
      [15, ['imagefs.available']],
      [10, ['nodefs.available', 'containerfs.available']],
    ]);
  });

  it('clamp usage where available exceeds capacity or is negative', () => {
    expect(pressureBars({ thresholds: [threshold('memory.available', '2Gi', '1Gi', '1Mi')] })[0]).toMatchObject({
      used: 0,
      usedPercent: 0,
    });
    expect(pressureBars({ thresholds: [threshold('memory.available', '-1Gi', '1Gi', '1Mi')] })[0]).toMatchObject({
      usedPercent: 100,
      level: 'bad',
    });
  });
});

describe('the node', () => {
  const facts = { nodeName: 'n1', runtime: 'containerd', cluster: 'https://api' };
  const eviction: PageEviction = {
    conditions: [],
    thresholds: [],
    signal: 'memory.available',
    candidates: [
      { namespace: 'kube-system', name: 'proxy', evictable: false, reason: 'critical' },
      { namespace: 'default', name: 'hog', evictable: true, reason: 'uses 2Gi of memory' },
    ],
  };

  it('is healthy', () => {
    const agent = new TestPageAgent();
    agent.pressure = eviction;
    expect(nodeLine(facts, agent, [])).toEqual({
      name: 'n1',
      runtime: 'containerd',
      cluster: 'https://api',
      verdict: { level: 'ok', text: 'The node is healthy and has no pods' },
      conditions: [
        { name: 'Container runtime', level: 'ok', text: 'ready' },
        { name: 'API server', level: 'ok', text: 'reachable' },
        { name: 'Memory pressure', level: 'ok', text: 'none' },
        { name: 'Disk pressure', level: 'ok', text: 'none' },
        { name: 'PID pressure', level: 'ok', text: 'none' },
      ],
      pressure: [],
    });
  });

  it('is under pressure, and shows the next pod to evict', () => {
    const agent = new TestPageAgent();
    agent.pressure = { ...eviction, conditions: [{ type: 'MemoryPressure', holdsUntil: 9 }], lastError: 'no stats' };
    expect(nodeLine(facts, agent, [])).toMatchObject({
      verdict: { level: 'bad', text: 'Memory pressure: the node is low on memory' },
      nextEvicted: { namespace: 'default', name: 'hog', reason: 'uses 2Gi of memory' },
    });
    expect(nodeLine(facts, agent, []).conditions).toContainEqual({ name: 'Eviction', level: 'bad', text: 'no stats' });
  });

  it('shows errors of the runtime and the API server', () => {
    const agent = new TestPageAgent();
    agent.errors = ['no socket', 'too late'];
    agent.cluster = 'connection refused';
    const line = nodeLine(facts, agent, []);
    expect(line.verdict).toEqual({ level: 'bad', text: 'Container runtime: no socket; too late' });
    expect(line.conditions.at(-1)).toEqual({ name: 'API server', level: 'bad', text: 'connection refused' });
    expect(nodeLine({ nodeName: 'n1' }, agent, []).conditions).toHaveLength(1);
  });
});

it.each<[Level[], string, string]>([
  [['ok'], 'ok', 'The pod is healthy'],
  [['ok', 'done'], 'ok', 'All 2 pods are healthy'],
  [['ok', 'bad', 'ok'], 'bad', '1 pod needs attention: p1'],
  [['ok', 'bad', 'warn'], 'bad', '1 pod needs attention: p1; 1 pod is unstable'],
  [['bad', 'bad', 'warn', 'warn'], 'bad', '2 pods need attention: p0, p1; 2 pods are unstable'],
  [['bad', 'bad', 'bad', 'bad'], 'bad', '4 pods need attention: p0, p1, p2, …'],
  [['warn', 'busy'], 'warn', '1 pod is unstable: p0'],
  [['busy', 'busy', 'ending'], 'busy', '2 pods are starting: p0, p1'],
  [['ok', 'ending'], 'ending', '1 pod is terminating: p1'],
])('the verdict over %j', (levels, level, text) => {
  const pods = levels.map((each, index) => ({ name: `p${index}`, health: { level: each, state: '', text: '' } }));
  expect(verdictOf([], pods)).toEqual({ level, text });
});
