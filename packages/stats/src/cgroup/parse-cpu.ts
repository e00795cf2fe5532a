import type { CpuSample } from './cgroup-sample.js';
import { type KernelFile, keyedValues, keysOf } from './kernel-file.js';

const usageKey = keysOf('usage_usec');
const v2Keys = keysOf('usage_usec', 'user_usec', 'system_usec', 'nr_periods', 'nr_throttled', 'throttled_usec', 'nr_bursts', 'burst_usec');
const v1Keys = keysOf('nr_periods', 'nr_throttled', 'throttled_time', 'nr_bursts', 'burst_time');
const accountKeys = keysOf('user', 'system');
const values: (bigint | undefined)[] = [];
/** A clock tick in the kernel's interfaces to user space: always 10 ms. */
const nanosPerTick = 10_000_000n;

/** `cpu.stat` of cgroup v2, or only the usage if `detail` is false; undefined without the usage. */
export function parseCpuV2(file: KernelFile, detail = true): CpuSample | undefined {
  keyedValues(file, detail ? v2Keys : usageKey, values);
  if (!detail) return values[0] === undefined ? undefined : { usageNanos: values[0] * 1000n };
  const [usage, user, system, periods, throttledPeriods, throttled, burstPeriods, burst] = values;
  if (usage === undefined) return undefined;
  return {
    usageNanos: usage * 1000n,
    userNanos: user === undefined ? undefined : user * 1000n,
    systemNanos: system === undefined ? undefined : system * 1000n,
    ...(periods !== undefined && {
      cfs: {
        periods,
        throttledPeriods: throttledPeriods ?? 0n,
        throttledNanos: (throttled ?? 0n) * 1000n,
        burstPeriods: burstPeriods ?? 0n,
        burstNanos: (burst ?? 0n) * 1000n,
      },
    }),
  };
}

/** `cpuacct.stat` of cgroup v1: user and system time in nanoseconds. */
export function parseCpuAccount(file: KernelFile): Pick<CpuSample, 'userNanos' | 'systemNanos'> {
  keyedValues(file, accountKeys, values);
  const [user, system] = values;
  return {
    userNanos: user === undefined ? undefined : user * nanosPerTick,
    systemNanos: system === undefined ? undefined : system * nanosPerTick,
  };
}

/** `cpu.stat` of cgroup v1: CPU throttling. */
export function parseCfsV1(file: KernelFile): CpuSample['cfs'] {
  keyedValues(file, v1Keys, values);
  const [periods, throttledPeriods = 0n, throttledNanos = 0n, burstPeriods = 0n, burstNanos = 0n] = values;
  return periods === undefined ? undefined : { periods, throttledPeriods, throttledNanos, burstPeriods, burstNanos };
}
