import { type Int64Input, toInt64 } from '@nodeagent/api/helpers';

/** An image as the runtime lists it. */
export interface ListedImage {
  id: string;
  /** In bytes. */
  size: Int64Input;
  /** Whether the runtime pins the image: it must not be removed. Default false. */
  pinned?: boolean;
}

/** The record of an image; times are milliseconds of a monotonic clock. */
export interface ImageRecord extends ListedImage {
  size: bigint;
  /** When it was first listed. */
  firstDetected: number;
  /** When a container was last observed to use it; absent if never. */
  lastUsed?: number;
}

/**
 * Updates the records after a listing. New images get `detectTime` as `firstDetected`, images in use get `now` as `lastUsed`, and images
 * that are not listed are removed.
 */
export function updateImageRecords(
  records: ReadonlyMap<string, ImageRecord>,
  images: readonly ListedImage[],
  inUse: ReadonlySet<string>,
  detectTime: number,
  now: number,
): Map<string, ImageRecord> {
  return new Map(
    images.map(({ id, size, pinned = false }) => {
      const { firstDetected, lastUsed } = records.get(id) ?? { firstDetected: detectTime, lastUsed: undefined };
      const used = inUse.has(id) ? now : lastUsed;
      return [id, { id, size: toInt64(`size of image ${id}`, size), pinned, firstDetected, ...(used !== undefined && { lastUsed: used }) }];
    }),
  );
}

/** The images that are neither in use nor pinned, the longest unused first; those never used come first, the oldest ahead. */
export function removalOrder(records: Iterable<ImageRecord>, inUse: ReadonlySet<string>): ImageRecord[] {
  const never = Number.NEGATIVE_INFINITY;
  const byUse = (a: ImageRecord, b: ImageRecord) => {
    const [lastA, lastB] = [a.lastUsed ?? never, b.lastUsed ?? never];
    return lastA === lastB ? a.firstDetected - b.firstDetected : lastA < lastB ? -1 : 1;
  };
  return [...records].filter(({ id, pinned }) => !pinned && !inUse.has(id)).sort(byUse);
}
