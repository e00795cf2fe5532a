import type { MemorySample } from './cgroup-sample.js';
import { type KernelFile, keyedValues, keysOf } from './kernel-file.js';

/** The values of `memory.stat` in both versions; undefined if missing. */
export interface MemoryStat {
  rssBytes?: bigint;
  cacheBytes?: bigint;
  mappedFileBytes?: bigint;
  kernelBytes?: bigint;
  activeFileBytes?: bigint;
  inactiveFileBytes?: bigint;
  pageFaults?: bigint;
  majorPageFaults?: bigint;
  /** Only in v1: v2 has a separate file. */
  swapBytes?: bigint;
}

const v2Keys = keysOf('anon', 'file', 'inactive_file', 'pgfault', 'pgmajfault', 'file_mapped', 'kernel', 'active_file');
const v2SummaryKeys = keysOf('anon', 'file', 'inactive_file', 'pgfault', 'pgmajfault');
const v1Keys = keysOf(
  'total_rss',
  'total_cache',
  'total_mapped_file',
  'total_active_file',
  'total_inactive_file',
  'pgfault',
  'pgmajfault',
  'total_swap',
  'rss',
);
const values: (bigint | undefined)[] = [];

/** `memory.stat` of cgroup v2, or only the values of the Summary API if `detail` is false. */
export function parseMemoryStatV2(file: KernelFile, detail = true): MemoryStat {
  keyedValues(file, detail ? v2Keys : v2SummaryKeys, values);
  const [rssBytes, cacheBytes, inactiveFileBytes, pageFaults, majorPageFaults] = values;
  if (!detail) return { rssBytes, cacheBytes, inactiveFileBytes, pageFaults, majorPageFaults };
  const [, , , , , mappedFileBytes, kernelBytes, activeFileBytes] = values;
  return { rssBytes, cacheBytes, mappedFileBytes, kernelBytes, activeFileBytes, inactiveFileBytes, pageFaults, majorPageFaults };
}

/** `memory.stat` of cgroup v1: including descendants, if the cgroup is hierarchical. */
export function parseMemoryStatV1(file: KernelFile): MemoryStat {
  keyedValues(file, v1Keys, values);
  const [rss, cacheBytes, mappedFileBytes, activeFileBytes, inactiveFileBytes, pageFaults, majorPageFaults, swapBytes, ownRss] = values;
  const rssBytes = rss ?? ownRss;
  return { rssBytes, cacheBytes, mappedFileBytes, activeFileBytes, inactiveFileBytes, pageFaults, majorPageFaults, swapBytes };
}

/**
 * The memory stats; undefined if a required value is missing: a working set that includes reclaimable file pages would look like memory
 * pressure.
 */
export function memorySample(
  usageBytes: bigint | undefined,
  stat: MemoryStat,
  limits: Pick<MemorySample, 'limitBytes' | 'swapBytes' | 'swapLimitBytes'>,
): MemorySample | undefined {
  const { rssBytes, inactiveFileBytes, pageFaults, majorPageFaults } = stat;
  if (usageBytes === undefined || rssBytes === undefined || inactiveFileBytes === undefined) return undefined;
  if (pageFaults === undefined || majorPageFaults === undefined) return undefined;
  return {
    usageBytes,
    workingSetBytes: usageBytes > inactiveFileBytes ? usageBytes - inactiveFileBytes : 0n,
    rssBytes,
    cacheBytes: stat.cacheBytes,
    mappedFileBytes: stat.mappedFileBytes,
    kernelBytes: stat.kernelBytes,
    activeFileBytes: stat.activeFileBytes,
    inactiveFileBytes,
    pageFaults,
    majorPageFaults,
    limitBytes: limits.limitBytes,
    swapBytes: limits.swapBytes,
    swapLimitBytes: limits.swapLimitBytes,
  };
}
