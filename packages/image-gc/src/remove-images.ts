import { errorMessage } from '@nodeagent/api';
import type { ImageRecord } from './image-record.js';
import { keepReason } from './plan.js';

/** Removes one image; rejects if it could not. */
export type RemoveImage = (record: ImageRecord) => Promise<void>;

export interface FreedSpace {
  freedBytes: bigint;
  /** Ids of the candidates that were considered and kept. */
  remaining: string[];
  /** Why removals failed. */
  failures: string[];
}

/** Removes all of them; resolves with the failures. */
export async function removeAll(records: readonly ImageRecord[], remove: RemoveImage): Promise<string[]> {
  const failures: string[] = [];
  for (const record of records) await remove(record).catch((error) => failures.push(errorMessage(error)));
  return failures;
}

/** Removes candidates in order until enough is freed, at least one. Continues after a failure. */
export async function freeSpace(
  candidates: readonly ImageRecord[],
  ages: { now: number; minAgeMs: number },
  bytesToFree: bigint,
  remove: RemoveImage,
): Promise<FreedSpace> {
  const freed: FreedSpace = { freedBytes: 0n, remaining: [], failures: [] };
  for (const record of candidates) {
    if (keepReason(record, ages) !== undefined) {
      freed.remaining.push(record.id);
      continue;
    }
    try {
      await remove(record);
    } catch (error) {
      freed.failures.push(errorMessage(error));
      freed.remaining.push(record.id);
      continue;
    }
    freed.freedBytes += record.size;
    if (freed.freedBytes >= bytesToFree) break;
  }
  return freed;
}

/** Joins the distinct failures: `[a, b]`. */
export function aggregateText(failures: readonly string[]): string {
  const texts = [...new Set(failures)];
  return texts.length === 1 ? `${texts[0]}` : `[${texts.join(', ')}]`;
}
