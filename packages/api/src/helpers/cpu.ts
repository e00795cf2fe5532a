import { integerFrom } from '../contracts/arguments.js';

/** The smallest and largest CPU shares of cgroup v1. */
const minShares = 2;
const maxShares = 262_144;
/** Shares of one CPU. */
const sharesPerCpu = 1024;
/** The smallest quota in microseconds that the kernel accepts. */
const minQuota = 1000;

/** The default CFS period in microseconds. */
export const defaultCpuPeriod = 100_000;

/** Converts millicores to CPU shares (cgroup v1, CRI `cpu_shares`): 1024 per core, from 2 to 262144. */
export function milliCpuToShares(milliCpu: number): number {
  const shares = scaled(integerFrom('milliCpu', milliCpu, 0), sharesPerCpu, 1000);
  return Math.min(Math.max(shares, minShares), maxShares);
}

/** Converts a CPU limit in millicores to the CFS quota in microseconds per period: 0 (unset) without a limit, else at least 1000. */
export function milliCpuToQuota(milliCpu: number, periodMicroseconds: number = defaultCpuPeriod): number {
  integerFrom('periodMicroseconds', periodMicroseconds, 1);
  if (integerFrom('milliCpu', milliCpu, 0) === 0) return 0;
  return Math.max(scaled(milliCpu, periodMicroseconds, 1000), minQuota);
}

/** `value * multiplier / divisor` in whole numbers, rounded down. */
function scaled(value: number, multiplier: number, divisor: number): number {
  const product = value * multiplier;
  if (Number.isSafeInteger(product)) return (product - (product % divisor)) / divisor;
  return Number((BigInt(value) * BigInt(multiplier)) / BigInt(divisor));
}
