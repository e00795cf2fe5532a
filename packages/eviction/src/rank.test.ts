import type { Pod, PodStats } from '@nodeagent/api';
import { seededRandom } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { rankForDisk, rankForMemory, rankForPids } from './rank.js';
import { rankForSignal } from './signals.js';
import { mib, requesting, testPod } from './test-node.js';

const time = new Date(0).toISOString();
const using = (memory: bigint, further: Partial<PodStats> = {}): PodStats => ({
  podRef: { name: '', namespace: '', uid: '' },
  startTime: time,
  containers: [],
  memory: { time, workingSetBytes: memory },
  ...further,
});
const order = (ranked: { pod: Pod }[]) => ranked.map(({ pod }) => pod.metadata?.name);
const lookup = (stats: Record<string, PodStats>) => (pod: Pod) => stats[pod.metadata?.name ?? ''];

describe('eviction order', () => {
  it('for memory: unknown usage, usage above the request, priority, excess over the request', () => {
    const pods = [
      requesting('within', '100Mi', -5),
      requesting('important', '100Mi', 9),
      requesting('little', '100Mi'),
      requesting('much', '100Mi'),
      requesting('unknown', '100Mi', 50),
    ];
    const statsOf = lookup({
      within: using(100n * mib),
      important: using(900n * mib),
      little: using(101n * mib),
      much: using(200n * mib),
    });
    expect(order(rankForMemory(pods, statsOf))).toEqual(['unknown', 'much', 'little', 'important', 'within']);
    expect(order(pods.map((pod) => ({ pod })))).toEqual(['within', 'important', 'little', 'much', 'unknown']);
  });

  it('distinguishes amounts that differ by less than a byte or exceed the precision of a double', () => {
    const pods = [requesting('a', '9007199254740993'), requesting('b', '9007199254740992'), requesting('c', '500m')];
    const statsOf = lookup({ a: using(9007199254740994n), b: using(9007199254740994n), c: using(1n) });
    expect(order(rankForMemory(pods, statsOf))).toEqual(['b', 'a', 'c']);
  });

  it('for disk: only the usage on the file system counts', () => {
    const pod = (name: string) =>
      testPod(name, {
        volumes: [
          { name: 'scratch', emptyDir: {} },
          { name: 'tmpfs', emptyDir: { medium: 'Memory' } },
        ],
      });
    const pods = [pod('logs'), pod('scratch'), pod('tmpfs')];
    const usedBytes = 10n * mib;
    const statsOf = lookup({
      logs: using(0n, { containers: [{ name: 'main', startTime: time, logs: { time, usedBytes, inodesUsed: 1n } }] }),
      scratch: using(0n, { volume: [{ name: 'scratch', time, usedBytes: 2n * usedBytes, inodesUsed: 9n }] }),
      tmpfs: using(0n, { volume: [{ name: 'tmpfs', time, usedBytes: 9n * usedBytes, inodesUsed: 99n }] }),
    });
    expect(order(rankForDisk(pods, statsOf, { measures: ['logs', 'localVolumeSource'], resource: 'ephemeral-storage' }))).toEqual([
      'scratch',
      'logs',
      'tmpfs',
    ]);
    expect(order(rankForDisk(pods, statsOf, { measures: ['logs'], resource: 'inodes' }))).toEqual(['logs', 'scratch', 'tmpfs']);
    const split = { dedicatedImageFs: true, splitContainerFs: true };
    expect(rankForSignal('imagefs.available', split, pods, statsOf).map(({ usage }) => usage)).toEqual([0, 0, 0]);
  });

  it('for processes: priority, then number of processes', () => {
    const pods = [requesting('few', '1'), requesting('many', '1'), requesting('low', '1', -1), requesting('unknown', '1')];
    const running = (count: bigint) => using(0n, { process_stats: { process_count: count } });
    const statsOf = lookup({ few: running(1n), many: running(9n), low: running(0n) });
    expect(order(rankForPids(pods, statsOf))).toEqual(['low', 'unknown', 'many', 'few']);
  });

  it('does not depend on the input order, except for equal pods, whose order it keeps', () => {
    const seed = 20_261_122;
    const random = seededRandom(seed);
    const pick = (n: number) => Math.floor(random() * n);
    const pods = Array.from({ length: 200 }, (_, i) => requesting(`p${i}`, `${1 + pick(1000)}`, pick(3)));
    const stats = Object.fromEntries(pods.map((pod) => [pod.metadata?.name, using(BigInt(i64(random)))]));
    const first = order(rankForMemory(pods, lookup(stats)));
    const shuffled = pods
      .map((pod) => ({ pod, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ pod }) => pod);
    expect(order(rankForMemory(shuffled, lookup(stats))), `seed ${seed}`).toEqual(first);
    const equals = pods.map((pod) => ({ ...pod, spec: { containers: [] } }));
    expect(order(rankForMemory(equals, () => undefined))).toEqual(order(equals.map((pod) => ({ pod }))));
  });
});

/** Distinct with near certainty, so that the order has no ties. */
const i64 = (random: () => number) => Math.floor(random() * 2 ** 52);
