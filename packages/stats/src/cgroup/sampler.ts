import type { CgroupReader } from './cgroup-reader.js';
import type { CgroupSample, MemoryLimits } from './cgroup-sample.js';
import { nanoCores } from './rate.js';

/** A sample and the CPU rate up to it, in billionths of a core; undefined as long as there was no sample before. */
export interface RatedSample {
  sample: CgroupSample;
  usageNanoCores?: bigint;
}

export interface RatedSampleOptions {
  /** Counts the cgroup's processes. Default false. */
  processes?: boolean;
  /** Reads limits once a minute only, or when more is used: those of a pod hardly change. Default false. */
  steadyLimits?: boolean;
}

/** Samples cgroups and remembers of each the one counter that the next rate needs, and limits. */
export interface Sampler {
  sample(path: string, options?: RatedSampleOptions): RatedSample | undefined;
  /** Forgets the cgroups that were not sampled since the last call. */
  endPass(): void;
}

interface Reading {
  monotonic: number;
  usageNanos: bigint;
  rate: bigint | undefined;
}

interface ReadLimits extends MemoryLimits {
  monotonic: number;
}

/** Readings that lie closer together give no rate worth telling: the one before stays. */
const minRateMs = 1_000;
/** How long limits may be taken for what they were. */
const steadyMs = 60_000;

/** Makes a {@link Sampler}. */
export function createSampler(reader: Pick<CgroupReader, 'sample'>): Sampler {
  let last = new Map<string, Reading>();
  let current = new Map<string, Reading>();
  let lastLimits = new Map<string, ReadLimits>();
  let currentLimits = new Map<string, ReadLimits>();

  /** When the sample before was read, which is how late it is. */
  let latest = Number.NEGATIVE_INFINITY;

  const withSteadyLimits = (path: string, processes: boolean): CgroupSample | undefined => {
    const known = lastLimits.get(path);
    const limits = known !== undefined && latest - known.monotonic < steadyMs ? known : undefined;
    const sample = reader.sample(path, { processes, ...(limits && { limits }) });
    if (sample?.memory === undefined) return sample;
    const { limitBytes, swapLimitBytes, usageBytes } = sample.memory;
    if (limits !== undefined && usageBytes > limitBytes) {
      lastLimits.delete(path);
      return withSteadyLimits(path, processes);
    }
    currentLimits.set(path, limits ?? { limitBytes, swapLimitBytes, monotonic: sample.monotonic });
    return sample;
  };

  return {
    sample(path, { processes = false, steadyLimits = false } = {}) {
      const sample = steadyLimits ? withSteadyLimits(path, processes) : reader.sample(path, { processes });
      if (sample === undefined) return undefined;
      latest = sample.monotonic;
      const before = current.get(path) ?? last.get(path);
      const reading = nextReading(before, sample);
      if (reading !== undefined) current.set(path, reading);
      return { sample, usageNanoCores: reading?.rate };
    },
    endPass() {
      last = current;
      current = new Map();
      lastLimits = currentLimits;
      currentLimits = new Map();
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
