import type { TimelineEntry } from '@nodeagent/api';

/** `error`: a container or pod failed; `warning`: the node retries or waits; `info`: all else. */
export type TimelineSeverity = 'error' | 'warning' | 'info';

/** Reasons of events with which a container, its pod or the node failed. */
const failures: ReadonlySet<unknown> = new Set(['Evicted', 'Failed', 'FailedCreatePodSandBox', 'OOMKilling', 'SystemOOM', 'Preempting']);

/** The event that repeats the reason of a waiting container, after one with the error itself. */
const repetition = /^Failed: Error: /;

/** How serious the entry is. A warning that a retry may resolve, such as a failed readiness probe or a back-off, is not an error. */
export function timelineSeverity({ kind, warning, fields = {}, text }: SeverityInput): TimelineSeverity {
  if (!warning) return 'info';
  if (failedKinds.has(kind)) return 'error';
  return failures.has(fields.reason) && !repetition.test(text) ? 'error' : 'warning';
}

type SeverityInput = Pick<TimelineEntry, 'kind' | 'warning' | 'fields' | 'text'>;

/** Of these kinds every warning is a failure. */
const failedKinds: ReadonlySet<TimelineEntry['kind']> = new Set(['lifecycle', 'status', 'node', 'probe']);

const severities: readonly TimelineSeverity[] = ['info', 'warning', 'error'];
/** Kinds of entries from the least to the most important one for users. */
const kinds: readonly TimelineEntry['kind'][] = ['config', 'sync', 'gc', 'event', 'probe', 'lifecycle', 'status', 'node', 'eviction'];

/** Which entry of an episode describes it: the one with the highest weight, of equal ones the last. */
export function timelineWeight(entry: SeverityInput): number {
  return severities.indexOf(timelineSeverity(entry)) * kinds.length + kinds.indexOf(entry.kind);
}
