import type { Pod } from '@nodeagent/api';
import { Quantity } from '@nodeagent/api/helpers';
import { storageLimits } from './pod-facts.js';
import { type FsStatsInput, type PodStatsInput, read } from './stats-input.js';

/** A limit that a pod exceeds. */
export interface StorageExcess {
  /** The signal's name in the metric `kubelet_evictions`. */
  signal: 'emptydirfs.limit' | 'ephemeralpodfs.limit' | 'ephemeralcontainerfs.limit';
  message: string;
}

/**
 * The first local storage limit that a pod exceeds: of a volume, of the pod, of a container. Kubernetes documentation, "Local ephemeral
 * storage: How ephemeral storage limits work".
 */
export function localStorageExcess(
  pod: Pod,
  stats: PodStatsInput,
  { dedicatedImageFs }: { dedicatedImageFs: boolean },
): StorageExcess | undefined {
  const limits = storageLimits(pod);
  for (const { name, limit } of limits.emptyDirs) {
    const used = read(
      stats.volume?.findLast((volume) => volume.name === name),
      'usedBytes',
    );
    if (used !== undefined && exceeds(used, limit)) {
      return { signal: 'emptydirfs.limit', message: `Usage of EmptyDir volume "${name}" exceeds the limit "${limit}". ` };
    }
  }

  if (limits.pod !== undefined && exceeds(usedOf(stats['ephemeral-storage']), limits.pod)) {
    const message = `Pod ephemeral local storage usage exceeds the total limit of containers ${limits.pod}. `;
    return { signal: 'ephemeralpodfs.limit', message };
  }

  for (const { name = '', rootfs, logs } of limits.containers.size === 0 ? [] : (stats.containers ?? [])) {
    const limit = limits.containers.get(name);
    if (limit !== undefined && exceeds(usedOf(logs) + (dedicatedImageFs ? 0n : usedOf(rootfs)), limit)) {
      const message = `Container ${name} exceeded its local ephemeral storage limit "${limit}". `;
      return { signal: 'ephemeralcontainerfs.limit', message };
    }
  }
  return undefined;
}

const usedOf = (fs: FsStatsInput | undefined) => read(fs, 'usedBytes') ?? 0n;
const exceeds = (used: bigint, limit: Quantity) => Quantity.of(BigInt.asIntN(64, used)).cmp(limit) > 0;
