import type { Event } from '@nodeagent/api';
import { type Allowance, spendOne } from './allowance.js';
import { seriesKey, similarKey, spamKey } from './keys.js';
import { createRecent } from './recent.js';
import { continueSeries, type EventPatch, type EventSeries, seriesOf } from './series.js';
import { combinedEvent, countSimilar, type SimilarEvents } from './similar.js';

/** What is to be done about an event. `event` is the whole one, for when there is nothing to patch any more. */
export type Correlation = { action: 'create'; event: Event } | { action: 'patch'; event: Event; patch: EventPatch } | { action: 'drop' };

/** Makes many events few: counts what came up again, combines what is similar, drops what is too much. */
export interface EventCorrelator {
  /** `now` in milliseconds from any start, never going back. The event's own times are what is written. */
  correlate(event: Event, now: number): Correlation;
  /** Notes what the API server has made of an event. */
  written(event: Event): void;
}

/** How many series, groups of similar events and objects are remembered, each. */
const capacity = 4096;

/** A correlator that has seen nothing yet; it holds no timer and makes no calls. */
export function createEventCorrelator(): EventCorrelator {
  const similarEvents = createRecent<SimilarEvents>(capacity);
  const series = createRecent<EventSeries>(capacity);
  const allowances = createRecent<Allowance>(capacity);

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
      const { allowance, allowed } = spendOne(allowances.get(spender), now);
      allowances.set(spender, allowance);
      if (!allowed) return { action: 'drop' };
      return next.patch === undefined ? { action: 'create', event: next.event } : { action: 'patch', event: next.event, patch: next.patch };
    },
    written(event) {
      series.set(seriesKey(event), seriesOf(event));
    },
  };
}
