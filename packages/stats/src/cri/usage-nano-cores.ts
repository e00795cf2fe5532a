import type { CpuUsage } from '@nodeagent/cri-api';
import { nanoCores } from '../cgroup/rate.js';

/** The CPU rates of containers for which the runtime reports only a counter. */
export interface UsageNanoCores {
  /**
   * The container's rate: the one that the runtime reports, else the one computed from the change of the counter since the last call with
   * `update`. A call without `update` returns the last computed rate. Undefined if unknown.
   */
  of(containerId: string, cpu: CpuUsage | undefined, options: { update: boolean; now: number }): bigint | undefined;
}

interface Entry {
  timestamp: bigint;
  usage: bigint;
  rate: bigint | undefined;
  touched: number;
}

/** An entry without updates is removed after this time. */
const maxAgeMs = 10 * 60_000;

/** Creates a {@link UsageNanoCores}, which keeps one counter per container. `now` is in milliseconds of a monotonic clock. */
export function createUsageNanoCores(): UsageNanoCores {
  const entries = new Map<string, Entry>();
  let swept = 0;

  const sweep = (now: number) => {
    if (now - swept < maxAgeMs / 10) return;
    swept = now;
    for (const [id, { touched }] of entries) if (now - touched > maxAgeMs) entries.delete(id);
  };

  return {
    of(containerId, cpu, { update, now }) {
      if (cpu?.usageNanoCores !== undefined) return cpu.usageNanoCores.value;
      const known = entries.get(containerId);
      if (!update) return known?.rate;
      sweep(now);
      if (cpu === undefined) return undefined;
      const usage = cpu.usageCoreNanoSeconds?.value;
      if (usage === undefined) return undefined;
      const { timestamp } = cpu;
      if (known === undefined || usage < known.usage) {
        entries.set(containerId, { timestamp, usage, rate: undefined, touched: now });
        return undefined;
      }
      if (timestamp <= known.timestamp) return undefined;
      const rate = nanoCores(usage - known.usage, Number(timestamp - known.timestamp));
      entries.set(containerId, { timestamp, usage, rate, touched: now });
      return rate;
    },
  };
}
