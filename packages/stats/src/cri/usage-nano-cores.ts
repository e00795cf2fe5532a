import type { CpuUsage } from '@nodeagent/cri-api';
import { nanoCores } from '../cgroup/rate.js';

/** The CPU rates of containers for which the runtime tells only a counter. */
export interface UsageNanoCores {
  /**
   * The container's rate: the runtime's own if it gives one, else, for the updating caller, that since the counter that was last given.
   * Other callers get what was last computed. Undefined if unknown.
   */
  of(containerId: string, cpu: CpuUsage | undefined, options: { update: boolean; now: number }): bigint | undefined;
}

interface Entry {
  timestamp: bigint;
  usage: bigint;
  rate: bigint | undefined;
  touched: number;
}

/** A container that was not updated for so long is forgotten. */
const maxAgeMs = 10 * 60_000;

/** Makes a {@link UsageNanoCores}. `now` is in milliseconds of any clock that never goes back. Holds one counter a container. */
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
