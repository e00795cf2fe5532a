import type { Pod, QuantityText } from '@nodeagent/api';
import type { DiskMeasure } from './file-systems.js';
import { billion, type ExactAmount, localVolumes, memoryRequest, storageRequest } from './pod-facts.js';
import { type FsStatsInput, type PodStatsInput, read } from './stats-input.js';

/** Returns a pod's usage; undefined if it is unknown. */
export type StatsOf<P extends Pod = Pod> = (pod: P) => PodStatsInput | undefined;

/** A pod with the values that determine its rank: plain data, which `JSON.stringify` keeps. */
export interface RankedPod<P extends Pod = Pod> {
  pod: P;
  /** Bytes, inodes or processes, exact up to 2^53; absent without stats of the pod. The rank is exact at any size. */
  usage?: number;
  /** The request to compare the usage with. Processes and inodes have no requests. */
  request: QuantityText;
  exceedsRequest: boolean;
  priority: number;
}

interface Key<P extends Pod> extends RankedPod<P> {
  first: number;
  second: number;
  /** A larger amount ranks first. */
  amount: bigint;
  /** The amount as a number, for a faster comparison. */
  roughly: number;
}

/**
 * The eviction order under memory pressure: pods that use more than they request first, then by priority, then by usage minus request. Pods
 * without stats rank first. Kubernetes documentation, "Node-pressure Eviction: Pod selection for kubelet eviction".
 */
export function rankForMemory<P extends Pod>(pods: readonly P[], statsOf: StatsOf<P>): RankedPod<P>[] {
  return ranked(pods, (pod) => {
    const stats = statsOf(pod);
    const request = memoryRequest(pod);
    return usageKey(pod, stats && (read(stats.memory, 'workingSetBytes') ?? 0n), request, request);
  });
}

/**
 * The eviction order when a file system is short of bytes or inodes; `measures` are the parts of a pod's usage on it. Inodes have no
 * request, so any usage exceeds it.
 */
export function rankForDisk<P extends Pod>(
  pods: readonly P[],
  statsOf: StatsOf<P>,
  { measures, resource }: { measures: readonly DiskMeasure[]; resource: 'ephemeral-storage' | 'inodes' },
): RankedPod<P>[] {
  const usedOf = resource === 'inodes' ? inodesUsed : bytesUsed;
  return ranked(pods, (pod) => {
    const stats = statsOf(pod);
    const request = storageRequest(pod);
    return usageKey(
      pod,
      stats && diskUsage(pod, stats, measures, usedOf),
      resource === 'inodes' ? nothing : request,
      // As in the kubelet, the byte request is compared with the inode usage.
      request,
    );
  });
}

/** The eviction order when process IDs are short: by priority, then by the number of processes. */
export function rankForPids<P extends Pod>(pods: readonly P[], statsOf: StatsOf<P>): RankedPod<P>[] {
  return ranked(pods, (pod) => {
    const stats = statsOf(pod);
    const usage = stats && (read(stats.process_stats, 'process_count') ?? 0n);
    const priority = pod.spec?.priority ?? 0;
    return {
      pod,
      ...usageOf(usage),
      request: nothing.text,
      exceedsRequest: false,
      priority,
      first: priority,
      second: usage === undefined ? 0 : 1,
      amount: usage ?? 0n,
      roughly: Number(usage ?? 0n),
    };
  });
}

const nothing: ExactAmount = { text: '0', billionths: 0n };

const usageOf = (usage: bigint | undefined) => usage !== undefined && { usage: Number(usage) };

function usageKey<P extends Pod>(pod: P, usage: bigint | undefined, request: ExactAmount, subtracted: ExactAmount): Key<P> {
  const used = (usage ?? 0n) * billion;
  const exceedsRequest = used > request.billionths;
  const priority = pod.spec?.priority ?? 0;
  const amount = usage === undefined ? 0n : used - subtracted.billionths;
  return {
    pod,
    ...usageOf(usage),
    request: request.text,
    exceedsRequest,
    priority,
    first: usage === undefined ? 0 : exceedsRequest ? 1 : 2,
    second: priority,
    amount,
    roughly: Number(amount),
  };
}

function ranked<P extends Pod>(pods: readonly P[], keyOf: (pod: P) => Key<P>): RankedPod<P>[] {
  return pods
    .map(keyOf)
    .sort((a, b) => a.first - b.first || a.second - b.second || b.roughly - a.roughly || compare(b.amount, a.amount))
    .map(({ first: _first, second: _second, amount: _amount, roughly: _roughly, ...pod }) => pod);
}

const compare = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0);

const bytesUsed = (fs: FsStatsInput | undefined) => read(fs, 'usedBytes') ?? 0n;
const inodesUsed = (fs: FsStatsInput | undefined) => read(fs, 'inodesUsed') ?? 0n;

function diskUsage(
  pod: Pod,
  stats: PodStatsInput,
  measures: readonly DiskMeasure[],
  usedOf: (fs: FsStatsInput | undefined) => bigint,
): bigint {
  const countsRoot = measures.includes('root');
  const countsLogs = measures.includes('logs');
  let used = 0n;
  for (const container of stats.containers ?? []) {
    if (countsRoot) used += usedOf(container.rootfs);
    if (countsLogs) used += usedOf(container.logs);
  }
  if (measures.includes('localVolumeSource')) {
    const counted = localVolumes(pod);
    for (const volume of stats.volume ?? []) if (counted.has(volume.name ?? '')) used += usedOf(volume);
  }
  return used;
}
