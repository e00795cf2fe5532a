import type { Metrics } from '@nodeagent/api';

/** Why an event was not written. */
export type DropReason = 'queue_full' | 'spam' | 'rejected' | 'unreachable';

/** Counts the events that nobody will see at the API server. */
export function createDropCounter(metrics: Metrics): (reason: DropReason) => void {
  const dropped = metrics.counter({
    name: 'nodeagent_events_dropped_total',
    help: 'Events that were not written: the queue was full, the object had too many, the API server refused or could not be reached.',
    labels: ['reason'],
  });
  return (reason) => dropped.inc({ reason });
}
