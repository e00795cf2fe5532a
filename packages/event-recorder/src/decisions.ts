/**
 * The decisions of an event recorder: the content of an event, which events are counted or aggregated, which are spam, when a write is retried.
 *
 * @packageDocumentation
 */

export { type Correlation, createEventCorrelator, type EventCorrelator } from './correlator/correlator.js';
export { continueSeries, type EventPatch, type EventSeries } from './correlator/series.js';
export { combinedEvent, countSimilar, type SimilarEvents } from './correlator/similar.js';
export { type SpamBucket, takeToken } from './correlator/spam-bucket.js';
export { createEventNames, type NewEvent, newEvent } from './recorder/new-event.js';
export { nextTry } from './recorder/next-try.js';
