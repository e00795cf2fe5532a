/**
 * The decisions of an event recorder: what an event says, which events are counted or combined, which are spam, when a write is retried.
 *
 * @packageDocumentation
 */
export { type Allowance, spendOne } from './correlator/allowance.js';
export { type Correlation, createEventCorrelator, type EventCorrelator } from './correlator/correlator.js';
export { continueSeries, type EventPatch, type EventSeries } from './correlator/series.js';
export { combinedEvent, countSimilar, type SimilarEvents } from './correlator/similar.js';
export { createEventNames, type NewEvent, newEvent } from './recorder/new-event.js';
export { nextTry } from './recorder/next-try.js';
