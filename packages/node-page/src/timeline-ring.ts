import type { TimelineEntry } from '@nodeagent/api';
import {
  briefError,
  nextEpisodes,
  type OpenEpisodes,
  type TimelineSeverity,
  timelineSeverity,
  timelineWeight,
  withoutUids,
} from '@nodeagent/pod-view/timeline';

/** A recorded timeline entry. */
export interface KeptEntry extends TimelineEntry {
  /** Unique key; a repetition has the same. */
  key: number;
  /** Number of occurrences; `time` is that of the last one. */
  count: number;
  /** Milliseconds since 1970. */
  firstTime: number;
  /** The text in short; absent if it is short. */
  brief?: string;
  severity: TimelineSeverity;
  /** Entries with the same number belong together, such as a crash with its back-offs and restarts. */
  episode: number;
  /** The entry with the highest weight describes its episode, of equal ones the last. */
  weight: number;
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
/** Maximum number of pods whose episodes are continued. */
const maxPods = 1_000;

export function createTimelineRing(length: number): TimelineRing {
  const kept: KeptEntry[] = [];
  const episodes = createEpisodes();
  let lastKey = 0;
  return {
    add(entry) {
      const text = shownText(entry.text);
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
        ...briefOf(text),
        severity: timelineSeverity(entry),
        episode: episodes.of(entry),
        weight: timelineWeight(entry),
      };
      kept.push(added);
      if (kept.length > length) kept.shift();
      return added;
    },
    entries: () => [...kept],
  };
}

function shownText(full: string): string {
  const text = withoutUids(full);
  return text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text;
}

function briefOf(text: string): Pick<KeptEntry, 'brief'> {
  const brief = briefError(text);
  return brief === text ? {} : { brief };
}

/** Numbers the episodes of the pods, and of the node or of each other subject. */
function createEpisodes() {
  const openByPod = new Map<string, OpenEpisodes>();
  let lastId = 0;
  return {
    of(entry: TimelineEntry): number {
      const uid = subjectOf(entry);
      const open = nextEpisodes(openByPod.get(uid) ?? [], entry, lastId + 1);
      const id = open.at(-1)?.id ?? 0;
      lastId = Math.max(lastId, id);
      // The pods in the order of their last entry.
      openByPod.delete(uid);
      openByPod.set(uid, open);
      const [oldest] = openByPod.keys();
      if (openByPod.size > maxPods && oldest !== undefined) openByPod.delete(oldest);
      return id;
    },
  };
}

const isSame = (kept: KeptEntry, entry: TimelineEntry, text: string) =>
  kept.text === text && kept.kind === entry.kind && subjectOf(kept) === subjectOf(entry);

/** The pod's UID, or what the entry is about instead, such as a node of a cluster; empty for the node of the page. */
const subjectOf = ({ pod, fields }: TimelineEntry): string => pod?.uid ?? `${fields?.subject ?? ''}`;
