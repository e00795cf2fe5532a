import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type StatsProvider, type Summary, silentLogger } from '@nodeagent/api';
import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { createStatsProvider } from '@nodeagent/stats/node';
import { buildPod, createVirtualClock, seededRandom, type VirtualClock } from '@nodeagent/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { defaultSettings } from '../config/settings.js';
import { createMemoryPodDirs } from '../host/memory-pod-dirs.js';
import { volumeCapabilities } from '../options/volume-capabilities.js';
import { createTestAgent } from '../test-agent.js';
import { testComponents } from '../test-components.js';
import { stats as createStats } from './stats.js';

const mib = 1n << 20n;

/** Stats of a node that has 50Mi of memory left. */
function fullNode(clock: VirtualClock): StatsProvider {
  return {
    async summary(): Promise<Summary> {
      const time = new Date(clock.now()).toISOString();
      return {
        node: { nodeName: 'node', startTime: time, memory: { time, availableBytes: 50n * mib, workingSetBytes: 950n * mib } },
        pods: [],
      };
    },
    containerMetrics: async () => '',
    resourceMetrics: async () => '',
  };
}

describe("an agent's stats", () => {
  it('combine stats of this machine, the runtime and the volumes', async () => {
    const rootDir = mkdtempSync(join(tmpdir(), 'nodeagent-agent-stats-'));
    onTestFinished(() => rmSync(rootDir, { recursive: true }));
    const clock = createVirtualClock();
    const { runtime, image } = createMemoryRuntime({ clock, images: 'any' });
    const sandboxConfig = { metadata: { name: 'web', namespace: 'default', uid: 'u1', attempt: 0 } };
    const labels = { 'io.kubernetes.pod.name': 'web', 'io.kubernetes.pod.namespace': 'default', 'io.kubernetes.pod.uid': 'u1' };
    const { podSandboxId } = await clock.run(runtime.runPodSandbox({ config: { ...sandboxConfig, labels } }));
    const config = {
      metadata: { name: 'main', attempt: 0 },
      image: { image: 'a:1' },
      labels: { ...labels, 'io.kubernetes.container.name': 'main' },
    };
    const { containerId } = await clock.run(runtime.createContainer({ podSandboxId, config, sandboxConfig }));
    await clock.run(runtime.startContainer({ containerId }));
    const data = { name: 'data', time: '2026-01-01T00:00:00Z', usedBytes: 7n * mib, inodesUsed: 3n };
    const stats = createStats(
      testComponents({
        agent: { nodeName: 'node', cri: { runtime, image }, rootDir },
        host: { createStats: createStatsProvider },
        logFolders: { pods: join(rootDir, 'logs') },
        settings: defaultSettings,
        state: { podManager: { pods: () => [buildPod({ name: 'web', uid: 'u1' })] } },
        statusManager: { getPodStatus: () => undefined },
        volumes: { measuring: { volumeStats: async () => ({ ephemeral: [data], persistent: [] }) } },
        common: { clock, random: seededRandom(1), logger: silentLogger },
      }),
    );
    await stats?.start?.();
    await clock.advance(10);
    const summary = await stats?.summary({ fresh: true, signal: AbortSignal.timeout(10_000) });
    expect(summary?.node.memory?.workingSetBytes).toBeGreaterThan(0n);
    expect(summary?.node.fs?.capacityBytes).toBeGreaterThan(0n);
    expect(summary?.pods).toMatchObject([
      { podRef: { name: 'web', uid: 'u1' }, containers: [{ name: 'main' }], volume: [{ name: 'data', usedBytes: 7n * mib }] },
    ]);
    await stats?.stop?.();
    expect(clock.pending).toBe(0);
  });

  it('of a runtime whose containers a kubelet measures by their cgroups are those of the pods that have started', async () => {
    const rootDir = mkdtempSync(join(tmpdir(), 'nodeagent-agent-stats-'));
    onTestFinished(() => rmSync(rootDir, { recursive: true }));
    const clock = createVirtualClock();
    const { runtime, image } = createMemoryRuntime({ clock, images: 'any' });
    const stats = createStats(
      testComponents({
        agent: { nodeName: 'node', cri: { runtime, image }, rootDir, statsSource: 'cgroup' },
        host: { createStats: createStatsProvider },
        logFolders: { pods: join(rootDir, 'logs') },
        settings: defaultSettings,
        state: { podManager: { pods: () => ['early', 'web'].map((name) => buildPod({ name, uid: name })) } },
        statusManager: { getPodStatus: (uid) => (uid === 'web' ? { startTime: '2026-01-01T00:00:00Z' } : {}) },
        volumes: { measuring: volumeCapabilities.measuring.fallback },
        common: { clock, random: seededRandom(1), logger: silentLogger },
      }),
    );
    const summary = await stats?.summary({ fresh: true, signal: AbortSignal.timeout(10_000) });
    expect(summary?.pods.map(({ podRef, startTime }) => [podRef.name, startTime])).toEqual([['web', '2026-01-01T00:00:00Z']]);
  });

  it('are not read from this machine if pods have no directories on it', async () => {
    const node = createTestAgent([], { host: { podDirs: createMemoryPodDirs() } });
    expect(node.agent.stats).toBeUndefined();
    expect(node.agent.eviction).toBeUndefined();
    expect(() => createTestAgent([], { eviction: {} })).toThrow(
      expect.objectContaining({ code: 'InvalidOption', details: { field: 'eviction.summary' } }),
    );
  });
});

describe('an agent with stats', () => {
  it("evicts by the kubelet's thresholds by default, and not before the runtime answers", async () => {
    const clock = createVirtualClock();
    const stats = fullNode(clock);
    const node = createTestAgent([buildPod({ name: 'web' })], { clock, parts: { stats: () => stats }, sourceName: 'api' });
    expect(node.agent.stats).toBe(stats);
    const fault = node.memory.fault({ method: '*', times: Number.POSITIVE_INFINITY, error: 'CRI_UNAVAILABLE' });
    await node.agent.start();
    await clock.advance(30_000);
    expect(node.agent.eviction?.explain().evaluatedAt).toBeUndefined();
    fault.remove();
    await clock.until(() => node.phase('web') === 'Failed', 60_000);
    expect(node.status('web')).toMatchObject({
      reason: 'Evicted',
      message: expect.stringContaining('Threshold quantity: 100Mi, available: 50Mi'),
    });
    await node.agent.stop();
    expect(clock.pending).toBe(0);
  });

  it('evicts no pod if eviction is off', async () => {
    const clock = createVirtualClock();
    const node = createTestAgent([buildPod({ name: 'web' })], {
      clock,
      parts: { stats: () => fullNode(clock) },
      eviction: false,
      sourceName: 'api',
    });
    await node.agent.start();
    await node.untilReady('web');
    await clock.advance(60_000);
    expect(node.agent.eviction).toBeUndefined();
    expect(node.phase('web')).toBe('Running');
    await node.agent.stop();
  });
});
