import type { TimelineEntry } from '@nodeagent/api';
import { type TimelineSeverity, timelineSeverity } from './severity.js';

/** Entries of one pod, or of the node, that belong together: a start, or a crash with its back-offs and restarts. */
export interface Episode {
  id: number;
  severity: TimelineSeverity;
  /** Milliseconds since 1970, of the last entry. */
  lastAt: number;
  /** The container and how it terminated, for an episode that a crash began. */
  crash?: string;
}

/** The episodes of a pod to which another entry may belong, the current one last. */
export type OpenEpisodes = readonly Episode[];

/** A pod that is quiet this long begins another episode: the time after which a container's back-off is reset. */
const quietMs = 600_000;
/** Entries of the node belong together within this time. */
const nodeQuietMs = 60_000;
/** Maximum number of crashes of one pod that later crashes are compared with. */
const maxOpen = 8;

/**
 * The open episodes after the entry, which belongs to the last of them. The first problem begins an episode, so does a change by a source, and
 * a crash unless the same container crashed in the same way before; `nextId` is for a new episode.
 */
export function nextEpisodes(open: OpenEpisodes, entry: TimelineEntry, nextId: number): OpenEpisodes {
  const { time, kind, pod } = entry;
  const severity = timelineSeverity(entry);
  const crash = crashOf(entry);
  const quiet = pod === undefined ? nodeQuietMs : quietMs;
  const recent = open.filter(({ lastAt }) => time - lastAt <= quiet);
  const continued = continuedEpisode(recent, { kind, severity, crash });
  if (continued === undefined) {
    const added = { id: nextId, severity, lastAt: time, ...(crash !== undefined && { crash }) };
    return [...(kind === 'config' ? [] : recent), added].slice(-maxOpen);
  }
  return [...recent.filter((each) => each !== continued), { ...continued, severity: worse(continued.severity, severity), lastAt: time }];
}

function continuedEpisode(
  recent: OpenEpisodes,
  { kind, severity, crash }: { kind: TimelineEntry['kind']; severity: TimelineSeverity; crash: string | undefined },
): Episode | undefined {
  if (crash !== undefined) return recent.find((each) => each.crash === crash);
  const current = recent.at(-1);
  const isNewProblem = severity !== 'info' && current?.severity === 'info';
  return kind === 'config' || kind === 'eviction' || isNewProblem ? undefined : current;
}

/** A container that terminated with an error; undefined for every other entry. */
function crashOf({ kind, warning, fields, text }: TimelineEntry): string | undefined {
  return kind === 'lifecycle' && warning === true && fields?.event === 'ContainerDied' ? text : undefined;
}

const worse = (a: TimelineSeverity, b: TimelineSeverity): TimelineSeverity =>
  a === 'error' || b === 'error' ? 'error' : a === 'warning' || b === 'warning' ? 'warning' : 'info';
