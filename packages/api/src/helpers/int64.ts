const min = -(1n << 63n);
const max = (1n << 63n) - 1n;

/** The largest 64-bit signed integer. */
export const maxInt64 = max;
/** The smallest 64-bit signed integer. */
export const minInt64 = min;

/** Whether the value is a 64-bit signed integer. */
export function fitsInt64(value: bigint): boolean {
  return value >= min && value <= max;
}

const powers: bigint[] = Array.from({ length: 40 }, (_, exponent) => 10n ** BigInt(exponent));

/** 10 to the power of a non-negative exponent. */
export function powerOfTen(exponent: number): bigint {
  return powers[exponent] ?? 10n ** BigInt(exponent);
}
