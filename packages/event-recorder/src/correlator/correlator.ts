import type { Event } from '@nodeagent/api';
import { seriesKey, similarKey, spamKey } from './keys.js';
import { createRecent } from './recent.js';
import { continueSeries, type EventPatch, type EventSeries, seriesOf } from './series.js';
import { combinedEvent, countSimilar, type SimilarEvents } from './similar.js';
import { type SpamBucket, takeToken } from './spam-bucket.js';

/** How to write an event. `event` is the complete event, for the case that the event to patch does not exist any more. */
export type Correlation = { action: 'create'; event: Event } | { action: 'patch'; event: Event; patch: EventPatch } | { action: 'drop' };

/** Reduces events: counts repeated ones, aggregates similar ones, drops spam. */
export interface EventCorrelator {
  /** `now` is a monotonic time in milliseconds. The written times are those of the event. */
  correlate(event: Event, now: number): Correlation;
  /** Records the event that the API server returned. */
  written(event: Event): void;
}

/** Maximum number of series, of groups of similar events, and of buckets. */
const capacity = 4096;

/** Creates an empty correlator; it uses no timers and makes no calls. */
export function createEventCorrelator(): EventCorrelator {
  const similarEvents = createRecent<SimilarEvents>(capacity);
  const series = createRecent<EventSeries>(capacity);
  const buckets = createRecent<SpamBucket>(capacity);

  return {
    correlate(event, now) {
      const group = similarKey(event);
      const { similar, combine } = countSimilar(similarEvents.get(group), event.message ?? '', now);
      similarEvents.set(group, similar);

      const own = combine ? combinedEvent(event) : event;
      const key = combine ? group : seriesKey(event);
      const next = continueSeries(series.get(key), own);
      series.set(key, seriesOf(next.event));

      const spender = spamKey(event);
      const { bucket, allowed } = takeToken(buckets.get(spender), now);
      buckets.set(spender, bucket);
      if (!allowed) return { action: 'drop' };
      return next.patch === undefined ? { action: 'create', event: next.event } : { action: 'patch', event: next.event, patch: next.patch };
    },
    written(event) {
      series.set(seriesKey(event), seriesOf(event));
    },
  };
}
