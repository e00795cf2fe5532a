import type { Metrics } from '@nodeagent/api';

/** Why an event was not written. */
export type DropReason = 'queue_full' | 'spam' | 'rejected' | 'unreachable';

/** Counts the dropped events. */
export function createDropCounter(metrics: Metrics): (reason: DropReason) => void {
  const dropped = metrics.counter({
    name: 'nodeagent_events_dropped_total',
    help: 'Number of events that were not written: the queue was full, the spam filter dropped them, the API server rejected them or was unreachable.',
    labels: ['reason'],
  });
  return (reason) => dropped.inc({ reason });
}
