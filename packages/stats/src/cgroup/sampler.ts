import { createPassMap } from '../pass-map.js';
import { createTtlCache } from '../ttl-cache.js';
import type { CgroupReader, SampleOptions } from './cgroup-reader.js';
import type { CgroupSample, MemoryLimits } from './cgroup-sample.js';
import { nanoCores } from './rate.js';

/** A sample and the CPU rate since the previous one, in billionths of a core; undefined for the first sample. */
export interface RatedSample {
  sample: CgroupSample;
  usageNanoCores?: bigint;
}

interface RatedSampleOptions {
  /** Counts the cgroup's processes. Default false. */
  processes?: boolean;
  /** Reads the limits only once a minute, or if usage exceeds them: a pod's limits rarely change. Default false. */
  cacheLimits?: boolean;
}

/** Samples cgroups, and stores the counter for the next rate and the limits of each. */
export interface Sampler {
  sample(path: string, options?: RatedSampleOptions): RatedSample | undefined;
  /** Removes the cgroups that were not sampled since the last call. */
  endPass(): void;
}

interface Reading {
  monotonic: number;
  usageNanos: bigint;
  rate: bigint | undefined;
}

/** Measurements closer together keep the previous rate. */
const minRateMs = 1_000;

/** Creates a {@link Sampler}. */
export function createSampler(reader: Pick<CgroupReader, 'sample'>): Sampler {
  const readings = createPassMap<Reading>();
  /** Timestamp of the last sample, on the monotonic clock. */
  let latest = Number.NEGATIVE_INFINITY;
  const limits = createTtlCache<MemoryLimits>(() => latest);

  const read = (path: string, options: SampleOptions): CgroupSample | undefined => {
    const sample = reader.sample(path, options);
    if (sample !== undefined) latest = sample.monotonic;
    return sample;
  };
  const withCachedLimits = (path: string, processes: boolean): CgroupSample | undefined => {
    const known = limits.get(path);
    const sample = read(path, { processes, limits: known });
    if (sample?.memory === undefined) {
      limits.delete(path);
      return sample;
    }
    const { limitBytes, swapLimitBytes, usageBytes } = sample.memory;
    if (known !== undefined && usageBytes > limitBytes) {
      limits.delete(path);
      return withCachedLimits(path, processes);
    }
    if (known === undefined) limits.set(path, { limitBytes, swapLimitBytes });
    return sample;
  };

  return {
    sample(path, { processes = false, cacheLimits = false } = {}) {
      const sample = cacheLimits ? withCachedLimits(path, processes) : read(path, { processes });
      if (sample === undefined) return undefined;
      const before = readings.get(path);
      const reading = nextReading(before, sample);
      if (reading !== undefined && reading !== before) readings.set(path, reading);
      return { sample, usageNanoCores: reading?.rate };
    },
    endPass() {
      readings.endPass();
      limits.endPass();
    },
  };
}

function nextReading(before: Reading | undefined, { cpu, monotonic }: CgroupSample): Reading | undefined {
  if (cpu === undefined) return before;
  const { usageNanos } = cpu;
  if (before === undefined || usageNanos < before.usageNanos) return { monotonic, usageNanos, rate: undefined };
  const elapsedMs = monotonic - before.monotonic;
  if (elapsedMs < minRateMs) return before;
  return { monotonic, usageNanos, rate: nanoCores(usageNanos - before.usageNanos, elapsedMs * 1e6) };
}
