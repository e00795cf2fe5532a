import type { TimelineEntry } from '@nodeagent/api';

/** An entry as the page keeps it. */
export interface KeptEntry extends TimelineEntry {
  /** Its own, and the same when it happens again. */
  key: number;
  /** How often it happened; `time` is the last time. */
  count: number;
  /** Milliseconds since 1970. */
  firstTime: number;
}

/** The newest entries, the oldest first. */
export interface TimelineRing {
  /** Keeps the entry and gives it as it is kept: the same again within the last entries counts up and becomes the newest. */
  add(entry: TimelineEntry): KeptEntry;
  entries(): KeptEntry[];
}

/** Entries that one can be the same as. */
const lookBack = 50;
/** Characters of an entry's text that are kept. */
const longestText = 1_000;

export function createTimelineRing(length: number): TimelineRing {
  const kept: KeptEntry[] = [];
  let lastKey = 0;
  return {
    add(entry) {
      const text = entry.text.length > longestText ? `${entry.text.slice(0, longestText)}…` : entry.text;
      const oldest = Math.max(0, kept.length - lookBack);
      const index = kept.findLastIndex((each, at) => at >= oldest && isSame(each, entry, text));
      const [before] = index < 0 ? [] : kept.splice(index, 1);
      lastKey += before ? 0 : 1;
      const added = {
        ...entry,
        text,
        key: before?.key ?? lastKey,
        count: (before?.count ?? 0) + 1,
        firstTime: before?.firstTime ?? entry.time,
      };
      kept.push(added);
      if (kept.length > length) kept.shift();
      return added;
    },
    entries: () => [...kept],
  };
}

const isSame = (kept: KeptEntry, entry: TimelineEntry, text: string) =>
  kept.text === text && kept.kind === entry.kind && kept.pod?.uid === entry.pod?.uid;
