import type { KubeObject } from '@nodeagent/api';
import type { WatchedChange } from '@nodeagent/test-api-server';
import type { TestCluster } from './test-cluster.js';
import { changedFacts } from './timeline-facts.js';
import { elapsedText } from './trace.js';

/** Options of {@link recordTimeline}. */
export interface TimelineOptions {
  /** Plurals of the kinds whose changes are recorded. Default: all but leases. */
  resources?: readonly string[];
  /** Names of the facts whose changes are recorded, such as `/Ready|terminating/`; creations and removals are always. Default: all. */
  facts?: RegExp;
  /** Reasons of the events that are recorded. Default: all. */
  events?: RegExp;
}

/** One line of a timeline. */
export interface TimelineRecord {
  /** Milliseconds since the recording began. */
  atMs: number;
  /** The user who wrote, or the component that reports an event: `node-1`, `kube-scheduler`, `deployment-controller`. */
  by: string;
  /** `Pod web-1` */
  subject: string;
  /** `nodeName=node-1`, `Ready=True`, `ScalingReplicaSet: Scaled up replica set web from 0 to 1` */
  what: string;
}

/** A recording, see {@link recordTimeline}. */
export interface Timeline {
  readonly entries: readonly TimelineRecord[];
  /** Adds an entry of the test, such as the answer to a request. */
  note(by: string, subject: string, what: string): void;
  /** The entries as aligned lines with virtual times. */
  text(): string;
  /** Ends the recording; idempotent. */
  stop(): void;
}

/**
 * Records from now on what changes in a cluster and who wrote it: creations and removals, fields of one value, taints and conditions of objects,
 * and the events about them. Heartbeats and changes of other fields are no entries.
 */
export function recordTimeline({ clock, server }: Pick<TestCluster, 'clock' | 'server'>, options: TimelineOptions = {}): Timeline {
  const { resources, facts, events } = options;
  const startedAt = clock.monotonic();
  const entries: TimelineRecord[] = [];
  const note = (by: string, subject: string, what: string) => {
    entries.push({ atMs: Math.round(clock.monotonic() - startedAt), by, subject, what });
  };
  const stop = server.objects.watch((change) => {
    const { resource, object } = change;
    if (resource === 'events') {
      const event = change.type !== 'DELETED' && reportedEvent(object as ReportedEvent);
      if (event && (events === undefined || events.test(event.reason))) note(event.by, event.subject, event.what);
    } else if (resources ? resources.includes(resource) : resource !== 'leases') {
      const what = changeText(change, facts);
      if (what) note(writerOf(change), subjectOf(object), what);
    }
  });
  return { entries, note, text: () => timelineText(entries), stop };
}

/** The entries as lines with aligned columns. */
function timelineText(entries: readonly TimelineRecord[]): string {
  const width = (of: (entry: TimelineRecord) => string) => Math.max(0, ...entries.map((entry) => of(entry).length));
  const [by, subject] = [width((entry) => entry.by), width((entry) => entry.subject)];
  return entries
    .map((entry) => [elapsedText(entry.atMs), entry.by.padEnd(by), entry.subject.padEnd(subject), entry.what].join('  '))
    .join('\n');
}

const subjectOf = ({ kind, metadata }: KubeObject) => `${kind} ${metadata?.name}`;

/** `node-1` of `system:node:node-1`. */
const writerOf = ({ user }: WatchedChange) => user?.replace(/^system:(node:|serviceaccount:)?/, '') ?? 'kube-apiserver';

function changeText({ type, object, previous }: WatchedChange, facts: RegExp | undefined): string {
  if (type === 'ADDED') return 'created';
  if (type === 'DELETED') return 'removed';
  return changedFacts(previous, object, facts).join(', ');
}

interface ReportedEvent extends KubeObject {
  reason?: string;
  message?: string;
  source?: { component?: string };
  reportingComponent?: string;
  involvedObject?: { kind?: string; name?: string };
}

function reportedEvent({ reason = '', message, source, reportingComponent, involvedObject }: ReportedEvent) {
  const { kind, name } = involvedObject ?? {};
  return { reason, by: source?.component || reportingComponent || '', subject: `${kind} ${name}`, what: `${reason}: ${message}` };
}
