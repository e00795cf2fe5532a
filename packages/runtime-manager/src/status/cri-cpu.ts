import { integerFrom, invalidArgument } from '@nodeagent/api';
import { defaultCpuPeriod } from '@nodeagent/api/helpers';

/** Shares of one CPU. */
const sharesPerCpu = 1024n;
/** The smallest CPU shares of cgroup v1. */
const minShares = 2;

/** Converts CPU shares to millicores, rounded up; 0 for unset shares. */
export function sharesToMilliCpu(shares: number): number {
  if (integerFrom('shares', shares, 0) < minShares) return 0;
  return Number((BigInt(shares) * 1000n + sharesPerCpu - 1n) / sharesPerCpu);
}

/** Converts a CFS quota to the CPU limit in millicores; 0 (no limit) for a negative quota. */
export function quotaToMilliCpu(quotaMicroseconds: number, periodMicroseconds: number = defaultCpuPeriod): number {
  integerFrom('periodMicroseconds', periodMicroseconds, 1);
  if (!Number.isSafeInteger(quotaMicroseconds)) throw invalidArgument('quotaMicroseconds', 'an integer', quotaMicroseconds);
  return quotaMicroseconds < 0 ? 0 : Number((BigInt(quotaMicroseconds) * 1000n) / BigInt(periodMicroseconds));
}
