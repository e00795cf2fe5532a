import { integerFrom, invalidArgument } from './arguments.js';

/** The smallest and largest CPU shares of cgroup v1. */
const minShares = 2;
const maxShares = 262_144;
/** Shares of one CPU. */
const sharesPerCpu = 1024;
/** Below this quota (microseconds) the kernel refuses. */
const minQuota = 1000;
const maxWeight = 10_000;

/** The CFS period in microseconds unless configured. */
export const defaultCpuPeriod = 100_000;

/** CPU shares (cgroup v1, CRI `cpu_shares`) of an amount of CPU in millicores: 1024 a core, from 2 to 262144. */
export function milliCpuToShares(milliCpu: number): number {
  const shares = scaled(integerFrom('milliCpu', milliCpu, 0), sharesPerCpu, 1000);
  return Math.min(Math.max(shares, minShares), maxShares);
}

/** The amount of CPU in millicores that shares stand for, rounded up; 0 for shares that nobody set. */
export function sharesToMilliCpu(shares: number): number {
  if (integerFrom('shares', shares, 0) < minShares) return 0;
  return Number((BigInt(shares) * 1000n + BigInt(sharesPerCpu - 1)) / BigInt(sharesPerCpu));
}

/** The CFS quota in microseconds a period for a CPU limit in millicores; 0 (unset) without a limit, else at least 1000. */
export function milliCpuToQuota(milliCpu: number, periodMicroseconds: number = defaultCpuPeriod): number {
  integerFrom('periodMicroseconds', periodMicroseconds, 1);
  if (integerFrom('milliCpu', milliCpu, 0) === 0) return 0;
  return Math.max(scaled(milliCpu, periodMicroseconds, 1000), minQuota);
}

/** The CPU limit in millicores that a CFS quota stands for; 0 (no limit) for a negative quota. */
export function quotaToMilliCpu(quotaMicroseconds: number, periodMicroseconds: number = defaultCpuPeriod): number {
  integerFrom('periodMicroseconds', periodMicroseconds, 1);
  if (!Number.isSafeInteger(quotaMicroseconds)) throw invalidArgument('quotaMicroseconds', 'an integer', quotaMicroseconds);
  return quotaMicroseconds < 0 ? 0 : scaled(quotaMicroseconds, 1000, periodMicroseconds);
}

/** The cgroup v2 weight of CPU shares, as the kubelet writes it to the cgroups of pods and QoS classes: 2..262144 to 1..10000. */
export function sharesToCpuWeight(shares: number): number {
  const within = Math.max(integerFrom('shares', shares, 0), minShares);
  if (within >= maxShares) return maxWeight;
  return 1 + scaled(within - minShares, maxWeight - 1, maxShares - minShares);
}

/** The CPU shares of a cgroup v2 weight: the way back of {@link sharesToCpuWeight}, except for what rounding lost. */
export function cpuWeightToShares(weight: number): number {
  if (integerFrom('weight', weight, 1) > maxWeight) throw invalidArgument('weight', `at most ${maxWeight}`, weight);
  return scaled(weight - 1, maxShares - minShares, maxWeight - 1) + minShares;
}

/** `value * multiplier / divisor` in whole numbers, rounded down. */
function scaled(value: number, multiplier: number, divisor: number): number {
  const product = value * multiplier;
  if (Number.isSafeInteger(product)) return (product - (product % divisor)) / divisor;
  return Number((BigInt(value) * BigInt(multiplier)) / BigInt(divisor));
}
