import type { Pod, PodStats } from '@nodeagent/api';
import { localStorageExcess, rankForDisk, rankForMemory, rankForPids, type StatsOf } from '@nodeagent/eviction/decisions';
import { seededRandom } from '@nodeagent/testing';

const podCount = 10_000;
const rounds = 20;
const disk = { measures: ['root', 'logs', 'localVolumeSource'], resource: 'ephemeral-storage' } as const;

/** CPU time to put ten thousand pods in the order of eviction: the first time, when their requests are read, and later. */
export async function benchEviction(report: (line: string) => void): Promise<void> {
  const { pods, stats, statsOf } = fullNode();
  const reportMs = (what: string, ms: number) => report(`eviction: ${what} ${podCount} pods: ${ms.toFixed(1)} ms of CPU`);
  reportMs(
    'rank for memory, the first time,',
    milliseconds(() => rankForMemory(pods, statsOf)),
  );
  reportMs(
    'rank for memory',
    median(() => rankForMemory(pods, statsOf)),
  );
  reportMs(
    'rank for memory, their requests not read before,',
    median(
      () => rankForMemory(pods, statsOf),
      () => {
        for (const [index, pod] of pods.entries()) {
          const unseen = { ...pod };
          stats.set(unseen, statsOf(pod) as PodStats);
          pods[index] = unseen;
        }
      },
    ),
  );
  reportMs(
    'rank for disk',
    median(() => rankForDisk(pods, statsOf, disk)),
  );
  reportMs(
    'rank for processes',
    median(() => rankForPids(pods, statsOf)),
  );
  reportMs(
    'check the storage limits of',
    median(() => pods.filter((pod) => overLimit(pod, statsOf))),
  );
}

function overLimit(pod: Pod, statsOf: StatsOf): boolean {
  const stats = statsOf(pod);
  return stats !== undefined && localStorageExcess(pod, stats, { dedicatedImageFs: false }) !== undefined;
}

function fullNode(): { pods: Pod[]; stats: WeakMap<Pod, PodStats>; statsOf: StatsOf } {
  const random = seededRandom(1);
  const pick = (n: number) => Math.floor(random() * n);
  const time = '2026-01-01T00:00:00Z';
  const stats = new WeakMap<Pod, PodStats>();
  const pods = Array.from({ length: podCount }, (_, index): Pod => {
    const names = ['main', 'sidecar'];
    const pod: Pod = {
      metadata: { uid: `uid-${index}`, name: `pod-${index}`, namespace: 'bench' },
      spec: {
        priority: pick(5) * 1000,
        volumes: [{ name: 'scratch', emptyDir: { sizeLimit: '4Gi' } }],
        containers: names.map((name) => ({
          name,
          image: 'app',
          resources: { requests: { memory: `${1 + pick(512)}Mi`, 'ephemeral-storage': '1Gi' }, limits: { 'ephemeral-storage': '2Gi' } },
        })),
      },
    };
    const bytes = () => BigInt(pick(2 ** 30));
    const fs = () => ({ time, usedBytes: bytes(), inodesUsed: 9n });
    stats.set(pod, {
      podRef: { name: `pod-${index}`, namespace: 'bench', uid: `uid-${index}` },
      startTime: time,
      containers: names.map((name) => ({ name, startTime: time, rootfs: fs(), logs: fs() })),
      memory: { time, workingSetBytes: bytes() },
      volume: [{ name: 'scratch', ...fs() }],
      'ephemeral-storage': fs(),
      process_stats: { process_count: BigInt(pick(100)) },
    });
    return pod;
  });
  return { pods, stats, statsOf: (pod) => stats.get(pod) };
}

function milliseconds(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function median(work: () => unknown, prepare = () => {}): number {
  const times = Array.from({ length: rounds }, () => {
    prepare();
    return milliseconds(work);
  }).sort((a, b) => a - b);
  return times[rounds / 2] ?? 0;
}
