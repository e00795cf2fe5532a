import type { CgroupReader, SampleOptions } from './cgroup-reader.js';
import type { CgroupSample } from './cgroup-sample.js';
import { nanoCores } from './rate.js';

/** A sample and the CPU rate up to it, in billionths of a core; undefined as long as there was no sample before. */
export interface RatedSample {
  sample: CgroupSample;
  usageNanoCores?: bigint;
}

/** Samples cgroups and remembers of each the one counter that the next rate needs. */
export interface Sampler {
  sample(path: string, options?: SampleOptions): RatedSample | undefined;
  /** Forgets the cgroups that were not sampled since the last call. */
  endPass(): void;
}

interface Reading {
  monotonic: number;
  usageNanos: bigint;
  rate: bigint | undefined;
}

/** Readings that lie closer together give no rate worth telling: the one before stays. */
const minRateMs = 1_000;

/** Makes a {@link Sampler}. */
export function createSampler(reader: Pick<CgroupReader, 'sample'>): Sampler {
  let last = new Map<string, Reading>();
  let current = new Map<string, Reading>();
  return {
    sample(path, options) {
      const sample = reader.sample(path, options);
      if (sample === undefined) return undefined;
      const before = current.get(path) ?? last.get(path);
      const reading = nextReading(before, sample);
      if (reading !== undefined) current.set(path, reading);
      return { sample, usageNanoCores: reading?.rate };
    },
    endPass() {
      last = current;
      current = new Map();
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
