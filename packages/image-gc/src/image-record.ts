/** An image as the runtime lists it. */
export interface ListedImage {
  id: string;
  /** In bytes. */
  size: bigint;
  /** Whether the runtime says that it must stay. */
  pinned: boolean;
}

/** What is known of an image; times are milliseconds of one monotonic clock. */
export interface ImageRecord extends ListedImage {
  /** When it was first listed. */
  firstDetected: number;
  /** When a container was last seen that uses it; absent if none ever was. */
  lastUsed?: number;
}

/**
 * The records after a look at the images: new ones begin at `detectTime`, those in use were last used `now`, those that are not listed any
 * more are gone.
 */
export function updateImageRecords(
  records: ReadonlyMap<string, ImageRecord>,
  images: readonly ListedImage[],
  inUse: ReadonlySet<string>,
  detectTime: number,
  now: number,
): Map<string, ImageRecord> {
  return new Map(
    images.map(({ id, size, pinned }) => {
      const { firstDetected, lastUsed } = records.get(id) ?? { firstDetected: detectTime, lastUsed: undefined };
      const used = inUse.has(id) ? now : lastUsed;
      return [id, { id, size, pinned, firstDetected, ...(used !== undefined && { lastUsed: used }) }];
    }),
  );
}

/** The images that neither a container nor the runtime holds, the longest unused first; among those never used the oldest. */
export function removalOrder(records: Iterable<ImageRecord>, inUse: ReadonlySet<string>): ImageRecord[] {
  const never = Number.NEGATIVE_INFINITY;
  const byUse = (a: ImageRecord, b: ImageRecord) => {
    const [lastA, lastB] = [a.lastUsed ?? never, b.lastUsed ?? never];
    return lastA === lastB ? a.firstDetected - b.firstDetected : lastA < lastB ? -1 : 1;
  };
  return [...records].filter(({ id, pinned }) => !pinned && !inUse.has(id)).sort(byUse);
}
