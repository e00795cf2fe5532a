import { noEvents, type Pod, silentLogger } from '@nodeagent/api';
import { isCriticalPod } from '@nodeagent/api/helpers';
import { createVirtualClock, seededRandom } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createTestNode, requesting } from './test-node.js';

const seeds = [1, 2, 3, 4, 5, 6, 7, 8];

/** A node whose stats change, repeat, fail and hang, and whose kills and reclaims sometimes fail. */
describe.each(seeds)('random stats and faults (seed %i)', (seed) => {
  it('evicts one pod per summary, never a critical one, and only if a threshold is met', async () => {
    const random = seededRandom(seed);
    const chance = (part: number) => random() < part;
    const pick = (n: number) => Math.floor(random() * n);
    const never = () => new Promise<never>(() => {});
    const pods = Array.from({ length: 60 }, (_, i) => requesting(`p${i}`, `${1 + pick(100)}Mi`, chance(0.2) ? 2_000_000_000 : pick(3)));
    const killed: Pod[] = [];
    const statsTimesOfKills: number[] = [];
    let lastStatsTime = 0;
    let lastLeft = { memory: 0n, nodefs: 0n };
    const needless: unknown[] = [];
    const node = createTestNode(
      { clock: createVirtualClock(), recorder: noEvents, logger: silentLogger },
      {
        pods,
        settings: {
          evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '10%' },
          evictionSoft: { 'memory.available': '150Mi' },
          evictionSoftGracePeriod: { 'memory.available': '45s' },
          evictionMinimumReclaim: { 'memory.available': '50Mi' },
          evictionMaxPodGracePeriod: 30,
        },
        reclaim: { images: () => (chance(0.3) ? Promise.reject(new Error('busy')) : chance(0.1) ? never() : Promise.resolve()) },
        killPod: async (pod) => {
          killed.push(pod);
          statsTimesOfKills.push(lastStatsTime);
          if (lastLeft.nodefs >= 10n && lastLeft.memory >= 200n) needless.push(lastLeft);
          node.pods = node.pods.filter((each) => each !== pod);
          if (chance(0.2)) throw new Error('the runtime is away');
          if (chance(0.1)) await never();
        },
      },
    );
    for (const { metadata } of pods) if (chance(0.9)) node.use.set(metadata?.name ?? '', BigInt(pick(200)));
    node.onSummary = async () => {
      if (chance(0.1)) throw new Error('no stats');
      if (chance(0.05)) await never();
      if (!chance(0.3)) node.statsTime = node.tools.clock.now();
      lastStatsTime = node.statsTime ?? 0;
      lastLeft = { ...node.left };
      return undefined;
    };

    await node.manager.start();
    for (let minute = 0; minute < 60; minute++) {
      node.left.memory = chance(0.3) ? BigInt(50 + pick(150)) : 500n;
      node.left.nodefs = chance(0.1) ? 5n : 50n;
      await node.tools.clock.advance(60_000);
      expect(node.manager.explain().candidates).toHaveLength(node.pods.length);
    }
    await node.manager.stop();
    expect(needless, `seed ${seed}: evicted without need`).toEqual([]);
    expect(killed.filter(isCriticalPod), `seed ${seed}`).toEqual([]);
    expect(new Set(statsTimesOfKills).size, `seed ${seed}: evicted twice on the same stats`).toBe(killed.length);
    expect(killed.length, `seed ${seed}: no eviction`).toBeGreaterThan(0);
    expect(node.tools.clock.pending).toBe(0);
  });
});
