import { inspect } from 'node:util';
import type { Summary, TimelineEntry } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import { rankForDisk, rankForMemory, rankForPids } from '@nodeagent/eviction/decisions';
import { planImageGc } from '@nodeagent/image-gc/decisions';
import { createShutdownManager } from '@nodeagent/node-shutdown';
import { fitFailures, missingAmount } from '@nodeagent/pod-admission/decisions';
import { createMemoryFiles } from '@nodeagent/runtime-manager';
import { computePodActions, hashContainer } from '@nodeagent/runtime-manager/decisions';
import { buildPod } from '@nodeagent/testing';
import { beforeAll, expect, it } from 'vitest';
import { createMemoryPodDirs } from './host/memory-pod-dirs.js';
import { createTestAgent, testMachine } from './test-agent.js';

const gib = 1n << 30n;
const time = '2026-01-01T00:00:00Z';
const resources = { requests: { memory: '64Mi' } };
const web = buildPod({ name: 'web', containers: [{ name: 'web', image: 'web:1', resources }] });
const memory = { time, workingSetBytes: 9n * gib, availableBytes: gib };
const stats = {
  ...{ podRef: { name: 'web', namespace: 'default', uid: podUid(web) }, startTime: time, containers: [], memory },
  process_stats: { process_count: 3n },
};
const summary: Summary = { node: { nodeName: 'node', startTime: time, memory }, pods: [stats] };
const settings = {
  ...{ imageMinimumGCAgeMs: 0, imageMaximumGCAgeMs: 0 },
  ...{ imageGCHighThresholdPercent: 85, imageGCLowThresholdPercent: 80 },
};

/** Containers to stop, to update in place and to restart with other resources. */
function podActions() {
  const container = (name: string, more: object = {}) => ({ name, resources: { requests: { cpu: '2', memory: '64Mi' } }, ...more });
  const restart = [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }];
  const containers = [container('resized'), container('restarted', { resizePolicy: restart }), container('changed')];
  const blank = { state: 'running', exitCode: 0, image: '', imageId: '', imageRef: '', restartCount: 0 } as const;
  const containerStatuses = containers.map((each) => ({
    ...{ ...blank, id: `${each.name}-1`, name: each.name, createdAt: 1n, reason: '', message: '', podSandboxId: 's' },
    hash: each.name === 'changed' ? 'old' : hashContainer(each),
  }));
  const sandbox = { id: 's', attempt: 0, state: 'ready', createdAt: 1n, networkMode: 'POD', runtimeHandler: '' } as const;
  return computePodActions({
    pod: buildPod({ name: 'web', containers }),
    status: { sandboxStatuses: [sandbox], containerStatuses },
    probeResults: { liveness: () => undefined, startup: () => undefined },
    actuated: new Map(),
  });
}

const tooSmall = { metadata: { name: 'node' }, status: { allocatable: { cpu: '1', memory: '32Mi', pods: '0' } } };

const explanations: Record<string, unknown> = {
  'rankForMemory()': rankForMemory([web], () => stats),
  'rankForMemory() without stats': rankForMemory([web], () => undefined),
  'rankForDisk()': rankForDisk([web], () => stats, { measures: ['root'], resource: 'ephemeral-storage' }),
  'rankForPids()': rankForPids([web], () => stats),
  'planImageGc()': planImageGc({
    records: [{ id: 'web:1', size: 3n * gib, firstDetected: 0, lastUsed: 1, pinned: false }],
    ...{ inUse: new Set<string>(), now: 10, startedAt: 0, imageFs: { capacityBytes: 10n * gib, availableBytes: gib }, settings },
  }),
  'computePodActions()': podActions(),
  'fitFailures()': fitFailures(web, tooSmall, []),
  'missingAmount()': missingAmount({ resource: 'cpu', requested: '1500m', used: '1', capacity: '2' }),
};

beforeAll(async () => {
  const settings = { evictionHard: { 'memory.available': '2Gi' }, evictionPressureTransitionPeriodMs: 60_000 };
  const files = createMemoryFiles();
  const imageFsStats = async () => ({ capacityBytes: 10n * gib, availableBytes: gib });
  const host = { ...testMachine, files, podDirs: createMemoryPodDirs(files), imageFsStats };
  const node = createTestAgent([web], { host, eviction: { settings, summary: { summary: async () => summary } } });
  const timeline: TimelineEntry[] = [];
  node.agent.on('timeline', (entry) => timeline.push(entry));
  await node.agent.start();
  await node.untilReady('web');
  explanations['agent.explain()'] = node.agent.explain(podUid(web));
  explanations['agent.events()'] = node.agent.events(podUid(web));
  explanations['agent.pods()'] = node.agent.pods();
  explanations['agent.pulls()'] = node.agent.pulls();
  explanations['agent.imageGc.plan()'] = await node.agent.imageGc.plan();
  await node.clock.advance(15_000);
  explanations['agent.eviction.explain()'] = node.agent.eviction?.explain();
  explanations['agent.explain() of an evicted pod'] = node.agent.explain(podUid(web));
  explanations.timeline = timeline;
  await node.agent.stop();
  const shutdown = createShutdownManager({
    ...{ nodeName: 'node', activePods: () => [web], killPod: async () => {}, settings: { shutdownGracePeriodSeconds: 30 } },
  });
  explanations['createShutdownManager().plan()'] = shutdown.plan();
});

const names = [
  ...['rankForMemory()', 'rankForMemory() without stats', 'rankForDisk()', 'rankForPids()', 'planImageGc()'],
  ...['computePodActions()', 'fitFailures()', 'missingAmount()'],
  ...['agent.explain()', 'agent.events()', 'agent.pods()', 'agent.pulls()', 'agent.imageGc.plan()', 'agent.eviction.explain()'],
  ...['agent.explain() of an evicted pod', 'timeline', 'createShutdownManager().plan()'],
];

it.each(names)('%s is plain JSON', (name) => {
  const explanation = explanations[name];
  expect(explanation).toBeDefined();
  expect(JSON.parse(JSON.stringify(explanation))).toStrictEqual(withoutUndefined(explanation));
});

it.each(names)('%s prints its values without types of the program', (name) => {
  expect(inspect(explanations[name], { depth: null })).not.toMatch(/\d+n\b|Map\(|Set\(|Symbol\(|\[class|\[Function|\[Getter/);
});

it('covers all explanations', () => {
  expect(Object.keys(explanations).sort()).toEqual([...names].sort());
});

it('prints an eviction threshold at the default depth', () => {
  expect(inspect(explanations['agent.eviction.explain()'])).toContain("signal: 'memory.available'");
});

/** The value without members that are undefined: JSON omits them. Keeps the prototypes of objects. */
function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).flatMap(([key, each]) => (each === undefined ? [] : [[key, withoutUndefined(each)]])));
}
