import { toInt64 } from '@nodeagent/api/helpers';
import { formatBytes } from './format-bytes.js';
import { type ImageRecord, type ListedImage, removalOrder } from './image-record.js';
import { type ImageGcSettings, resolveSettings } from './settings.js';
import { type ImageFsStats, type ImageFsUsage, spaceToFree } from './space-to-free.js';

/** Why an image is removed (`TooOld`: above the maximum age; `FreesSpace`) or kept. */
export type ImageVerdict = 'TooOld' | 'FreesSpace' | 'InUse' | 'Pinned' | 'TooYoung' | 'JustUsed' | 'NotNeeded';

export interface PlannedImage {
  id: string;
  /** In bytes, exact up to 2^53. */
  size: number;
  action: 'remove' | 'keep';
  reason: ImageVerdict;
  /** Milliseconds since it was first listed. */
  knownForMs: number;
  /** Milliseconds since a container was last observed to use it; absent if never. */
  unusedForMs?: number;
}

/** The usage of the file system, in bytes exact up to 2^53, if the images above the maximum age are removed. */
export interface PlannedUsage {
  capacityBytes: number;
  /** At most the capacity. */
  availableBytes: number;
  /** Rounded up: with 15.9 % free it is 85. */
  usagePercent: number;
  /** Bytes to free to reach the low threshold; absent below the high one. May be 0 or less if both are equal. */
  bytesToFree?: number;
}

/** What a collection would do now, if every removal succeeds and frees the image's size. Plain data, which `JSON.stringify` keeps. */
export interface ImageGcPlan {
  /** Absent if the file system was not inspected or has no capacity. */
  usage?: PlannedUsage;
  /** First the removable ones, in the order of removal, then those in use and the pinned ones. */
  images: PlannedImage[];
  /** Total size of the images with the action `remove`, in bytes. */
  freedBytes: number;
  /** Why not enough can be freed; absent if `freedBytes` is enough. */
  shortfall?: string;
}

export interface ImageGcPlanInput {
  records: Iterable<ListedImage & Pick<ImageRecord, 'firstDetected' | 'lastUsed'>>;
  /** Ids of the images that containers use, dead ones included. */
  inUse: Iterable<string>;
  /** Milliseconds of the same clock as the records. */
  now: number;
  /** When collections started: no image is too old until `imageMaximumGCAgeMs` after it. Default 0. */
  startedAt?: number;
  /** Absent: no image is removed to free space. */
  imageFs?: ImageFsStats;
  settings?: ImageGcSettings;
}

/** The candidates that were unused for longer than the maximum age, regardless of the minimum age. */
export function tooOldImages(
  candidates: readonly ImageRecord[],
  { now, startedAt, maxAgeMs }: { now: number; startedAt: number; maxAgeMs: number },
): ImageRecord[] {
  if (maxAgeMs === 0 || now - startedAt <= maxAgeMs) return [];
  return candidates.filter(({ lastUsed }) => lastUsed === undefined || now - lastUsed > maxAgeMs);
}

/** Why a candidate must be kept although space is needed; undefined if it may be removed. At exactly the minimum age it may be removed. */
export function keepReason(
  { firstDetected, lastUsed }: ImageRecord,
  { now, minAgeMs }: { now: number; minAgeMs: number },
): 'JustUsed' | 'TooYoung' | undefined {
  if (lastUsed !== undefined && lastUsed >= now) return 'JustUsed';
  return now - firstDetected < minAgeMs ? 'TooYoung' : undefined;
}

/**
 * What a collection would do. Kubernetes documentation, "Garbage Collection: Container image lifecycle". Throws `InvalidOption` for
 * invalid settings and sizes.
 */
export function planImageGc({ now, startedAt = 0, imageFs, ...input }: ImageGcPlanInput): ImageGcPlan {
  const settings = resolveSettings(input.settings);
  const inUse = new Set(input.inUse);
  const all = Array.from(input.records, (record) => ({ ...record, size: toInt64(`size of image ${record.id}`, record.size) }));
  const candidates = removalOrder(all, inUse);
  const tooOld = new Set(tooOldImages(candidates, { now, startedAt, maxAgeMs: settings.imageMaximumGCAgeMs }));
  const planned = (record: ImageRecord, reason: ImageVerdict): PlannedImage => ({
    id: record.id,
    size: Number(record.size),
    action: reason === 'TooOld' || reason === 'FreesSpace' ? 'remove' : 'keep',
    reason,
    knownForMs: now - record.firstDetected,
    ...(record.lastUsed !== undefined && { unusedForMs: Math.max(0, now - record.lastUsed) }),
  });

  const old = [...tooOld].map((record) => planned(record, 'TooOld'));
  const oldBytes = [...tooOld].reduce((sum, { size }) => sum + size, 0n);
  const usage =
    imageFs &&
    spaceToFree(
      { ...imageFs, availableBytes: toInt64('availableBytes', imageFs.availableBytes ?? 0) + oldBytes },
      settings.imageGCHighThresholdPercent,
      settings.imageGCLowThresholdPercent,
    );
  const bytesToFree = usage?.bytesToFree;
  let freed = 0n;
  let isEnough = bytesToFree === undefined;
  const forSpace = candidates
    .filter((record) => !tooOld.has(record))
    .map((record) => {
      const reason = keepReason(record, { now, minAgeMs: settings.imageMinimumGCAgeMs });
      if (reason !== undefined || isEnough) return planned(record, reason ?? 'NotNeeded');
      freed += record.size;
      isEnough = freed >= (bytesToFree ?? 0n);
      return planned(record, 'FreesSpace');
    });
  const held = all.flatMap((record) =>
    inUse.has(record.id) ? [planned(record, 'InUse')] : record.pinned ? [planned(record, 'Pinned')] : [],
  );
  const images = [...old, ...forSpace, ...held];
  return {
    ...(usage && { usage: plannedUsage(usage) }),
    images,
    freedBytes: Number(oldBytes + freed),
    ...(bytesToFree !== undefined && freed < bytesToFree && { shortfall: shortfall(bytesToFree, freed, images) }),
  };
}

function shortfall(wanted: bigint, freed: bigint, images: readonly PlannedImage[]): string {
  const held = heldBy.flatMap(([reason, words]) => {
    const kept = images.filter((image) => image.reason === reason);
    return kept.length === 0 ? [] : [`${kept.length} ${words} (${formatBytes(totalSize(kept))})`];
  });
  const because = held.length === 0 ? 'there are no other images' : `of the other images ${held.join(', ')}`;
  return `wanted to free ${formatBytes(wanted)}, could free ${formatBytes(freed)} because ${because}`;
}

const heldBy: readonly (readonly [ImageVerdict, string])[] = [
  ['InUse', 'in use'],
  ['Pinned', 'pinned'],
  ['TooYoung', 'too young'],
  ['JustUsed', 'just used'],
];

const totalSize = (images: readonly PlannedImage[]) => BigInt(images.reduce((sum, { size }) => sum + size, 0));

function plannedUsage({ capacityBytes, availableBytes, usagePercent, bytesToFree }: ImageFsUsage): PlannedUsage {
  return {
    capacityBytes: Number(capacityBytes),
    availableBytes: Number(availableBytes),
    usagePercent,
    ...(bytesToFree !== undefined && { bytesToFree: Number(bytesToFree) }),
  };
}
