/** The kubelet's result on x86-64 for a number that exceeds uint64. */
const overflow = 1n << 63n;

/**
 * CPU rate in billionths of a core between two readings of a counter in nanoseconds; undefined if no time has passed or the counter has
 * decreased. Computed in floating point, as in the kubelet.
 */
export function nanoCores(usedNanos: bigint, elapsedNanos: number): bigint | undefined {
  if (usedNanos < 0n || !(elapsedNanos > 0)) return undefined;
  const rate = BigInt(Math.trunc((Number(usedNanos) / elapsedNanos) * 1e9));
  return rate < 1n << 64n ? rate : overflow;
}
