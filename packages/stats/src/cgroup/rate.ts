/** The kubelet's result on x86-64 for a number that exceeds uint64. */
const overflow = 1n << 63n;

/**
 * Billionths of a core between two readings of a CPU time counter in nanoseconds; undefined if no time lies between them or the counter
 * went back. The precision is that of floating point, as the kubelet's.
 */
export function nanoCores(usedNanos: bigint, elapsedNanos: number): bigint | undefined {
  if (usedNanos < 0n || !(elapsedNanos > 0)) return undefined;
  const rate = BigInt(Math.trunc((Number(usedNanos) / elapsedNanos) * 1e9));
  return rate < 1n << 64n ? rate : overflow;
}
