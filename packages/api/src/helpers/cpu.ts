import { integerFrom, invalidArgument } from '../contracts/arguments.js';

/** The smallest and largest CPU shares of cgroup v1. */
const minShares = 2;
const maxShares = 262_144;
/** Shares of one CPU. */
const sharesPerCpu = 1024;
/** The smallest quota in microseconds that the kernel accepts. */
const minQuota = 1000;
const maxWeight = 10_000;

/** The default CFS period in microseconds. */
export const defaultCpuPeriod = 100_000;

/** Converts millicores to CPU shares (cgroup v1, CRI `cpu_shares`): 1024 per core, from 2 to 262144. */
export function milliCpuToShares(milliCpu: number): number {
  const shares = scaled(integerFrom('milliCpu', milliCpu, 0), sharesPerCpu, 1000);
  return Math.min(Math.max(shares, minShares), maxShares);
}

/** Converts CPU shares to millicores, rounded up; 0 for unset shares. */
export function sharesToMilliCpu(shares: number): number {
  if (integerFrom('shares', shares, 0) < minShares) return 0;
  return Number((BigInt(shares) * 1000n + BigInt(sharesPerCpu - 1)) / BigInt(sharesPerCpu));
}

/** Converts a CPU limit in millicores to the CFS quota in microseconds per period: 0 (unset) without a limit, else at least 1000. */
export function milliCpuToQuota(milliCpu: number, periodMicroseconds: number = defaultCpuPeriod): number {
  integerFrom('periodMicroseconds', periodMicroseconds, 1);
  if (integerFrom('milliCpu', milliCpu, 0) === 0) return 0;
  return Math.max(scaled(milliCpu, periodMicroseconds, 1000), minQuota);
}

/** Converts a CFS quota to the CPU limit in millicores; 0 (no limit) for a negative quota. */
export function quotaToMilliCpu(quotaMicroseconds: number, periodMicroseconds: number = defaultCpuPeriod): number {
  integerFrom('periodMicroseconds', periodMicroseconds, 1);
  if (!Number.isSafeInteger(quotaMicroseconds)) throw invalidArgument('quotaMicroseconds', 'an integer', quotaMicroseconds);
  return quotaMicroseconds < 0 ? 0 : scaled(quotaMicroseconds, 1000, periodMicroseconds);
}

/** Converts CPU shares to the cgroup v2 weight that the kubelet writes for pods and QoS classes: 2..262144 to 1..10000. */
export function sharesToCpuWeight(shares: number): number {
  const within = Math.max(integerFrom('shares', shares, 0), minShares);
  if (within >= maxShares) return maxWeight;
  return 1 + scaled(within - minShares, maxWeight - 1, maxShares - minShares);
}

/** Converts a cgroup v2 weight to CPU shares: the inverse of {@link sharesToCpuWeight}, except for rounding. */
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
