/** Size and free space of the file system that holds the images; what is absent counts as 0. */
export interface ImageFsStats {
  capacityBytes?: bigint;
  availableBytes?: bigint;
}

export interface ImageFsUsage {
  capacityBytes: bigint;
  /** At most the capacity. */
  availableBytes: bigint;
  /** Rounded up: 15.9 % free are 85 % used. */
  usagePercent: number;
  /** So that usage falls to the lower threshold; undefined below the upper one. May be 0 or less where both are the same. */
  bytesToFree?: bigint;
}

/** How full the file system is and how much has to go; undefined without a capacity. Both thresholds are whole percentages. */
export function spaceToFree(stats: ImageFsStats, highThresholdPercent: number, lowThresholdPercent: number): ImageFsUsage | undefined {
  const { capacityBytes = 0n } = stats;
  if (capacityBytes === 0n) return undefined;
  const free = stats.availableBytes ?? 0n;
  const availableBytes = free > capacityBytes ? capacityBytes : free;
  const usagePercent = 100 - Number((availableBytes * 100n) / capacityBytes);
  const usage = { capacityBytes, availableBytes, usagePercent };
  if (usagePercent < highThresholdPercent) return usage;
  return { ...usage, bytesToFree: (capacityBytes * BigInt(100 - lowThresholdPercent)) / 100n - availableBytes };
}
