import type { Event } from '@nodeagent/api';

/** The patch of a repeated event. */
export interface EventPatch {
  count: number;
  lastTimestamp?: string;
  message?: string;
}

/** The event that counts a series, as last written to the API server. */
export interface EventSeries {
  name?: string;
  resourceVersion?: string;
  firstTimestamp?: string | null;
  count: number;
}

export function seriesOf({ metadata: { name, resourceVersion }, firstTimestamp, count = 0 }: Event): EventSeries {
  return {
    count,
    ...(name !== undefined && { name }),
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(firstTimestamp !== undefined && { firstTimestamp }),
  };
}

/** The event as the next one of its series, with the patch; unchanged and without a patch if it is the first one. */
export function continueSeries(series: EventSeries | undefined, event: Event): { event: Event; patch?: EventPatch } {
  if (series === undefined || series.count === 0) return { event };
  const { name, resourceVersion, firstTimestamp } = series;
  const count = series.count + 1;
  const { resourceVersion: _version, ...metadata } = event.metadata;
  const next: Event = {
    ...event,
    metadata: { ...metadata, ...(name !== undefined && { name }), ...(resourceVersion !== undefined && { resourceVersion }) },
    ...(firstTimestamp !== undefined && { firstTimestamp }),
    count,
  };
  const { lastTimestamp, message } = event;
  return { event: next, patch: { count, ...(lastTimestamp && { lastTimestamp }), ...(message && { message }) } };
}
