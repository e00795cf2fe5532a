import type { TimelineEntry } from '@nodeagent/api';

/** A recorded timeline entry. */
export interface KeptEntry extends TimelineEntry {
  /** Unique key; a repetition has the same. */
  key: number;
  /** Number of occurrences; `time` is that of the last one. */
  count: number;
  /** Milliseconds since 1970. */
  firstTime: number;
}

/** The newest entries, oldest first. */
export interface TimelineRing {
  /** Records the entry and returns the record. A repetition within the last entries increments its count and becomes the newest. */
  add(entry: TimelineEntry): KeptEntry;
  entries(): KeptEntry[];
}

/** Number of entries among which a repetition is recognized. */
const repetitionWindow = 50;
/** Maximum length of an entry's text. */
const maxTextLength = 1_000;

export function createTimelineRing(length: number): TimelineRing {
  const kept: KeptEntry[] = [];
  let lastKey = 0;
  return {
    add(entry) {
      const text = entry.text.length > maxTextLength ? `${entry.text.slice(0, maxTextLength)}…` : entry.text;
      const oldest = Math.max(0, kept.length - repetitionWindow);
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
