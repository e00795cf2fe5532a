import { integerFrom, invalidArgument } from '@nodeagent/api';

/** The smallest and largest CPU shares of cgroup v1. */
const minShares = 2;
const maxShares = 262_144;
const maxWeight = 10_000;

/** Converts CPU shares to the cgroup v2 weight that the kubelet writes for pods and QoS classes: 2..262144 to 1..10000. */
export function sharesToCpuWeight(shares: number): number {
  const within = Math.max(integerFrom('shares', shares, 0), minShares);
  if (within >= maxShares) return maxWeight;
  return 1 + Math.floor(((within - minShares) * (maxWeight - 1)) / (maxShares - minShares));
}

/** Converts a cgroup v2 weight to CPU shares: the inverse of {@link sharesToCpuWeight}, except for rounding. */
export function cpuWeightToShares(weight: number): number {
  if (integerFrom('weight', weight, 1) > maxWeight) throw invalidArgument('weight', `at most ${maxWeight}`, weight);
  return Math.floor(((weight - 1) * (maxShares - minShares)) / (maxWeight - 1)) + minShares;
}
