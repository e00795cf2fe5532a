import { type Int64Input, toInt64 } from '@nodeagent/api/helpers';

/** Size and free space of the file system of the images; absent values count as 0. */
export interface ImageFsStats {
  capacityBytes?: Int64Input;
  availableBytes?: Int64Input;
}

export interface ImageFsUsage {
  capacityBytes: bigint;
  /** At most the capacity. */
  availableBytes: bigint;
  /** Rounded up: with 15.9 % free it is 85. */
  usagePercent: number;
  /** Bytes to free to reach the low threshold; undefined below the high one. May be 0 or less if both are equal. */
  bytesToFree?: bigint;
}

/** The usage of the file system and the bytes to free; undefined without a capacity. Thresholds are integers in percent. */
export function spaceToFree(stats: ImageFsStats, highThresholdPercent: number, lowThresholdPercent: number): ImageFsUsage | undefined {
  const capacityBytes: bigint = toInt64('capacityBytes', stats.capacityBytes ?? 0);
  if (capacityBytes === 0n) return undefined;
  const free: bigint = toInt64('availableBytes', stats.availableBytes ?? 0);
  const availableBytes = free > capacityBytes ? capacityBytes : free;
  const usagePercent = 100 - Number((availableBytes * 100n) / capacityBytes);
  const usage = { capacityBytes, availableBytes, usagePercent };
  if (usagePercent < highThresholdPercent) return usage;
  return { ...usage, bytesToFree: (capacityBytes * BigInt(100 - lowThresholdPercent)) / 100n - availableBytes };
}
