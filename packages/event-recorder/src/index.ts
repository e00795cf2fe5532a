/**
 * Kubernetes events as a kubelet writes them: counted, combined, spam-filtered, in a bounded queue that never blocks.
 *
 * @packageDocumentation
 */
export { type Allowance, spendOne } from './correlator/allowance.js';
export { type Correlation, createEventCorrelator, type EventCorrelator } from './correlator/correlator.js';
export { continueSeries, type EventPatch, type EventSeries } from './correlator/series.js';
export { combinedEvent, countSimilar, type SimilarEvents } from './correlator/similar.js';
export { eventRecorderErrorCodes } from './errors.js';
export { type CountedEvent, createPodEvents, type PodEvents, type PodEventsOptions, type RecordedEvent } from './pod-events.js';
export { createEventRecorder, type EventRecorderOptions, type StartableEventRecorder } from './recorder/event-recorder.js';
export { createEventNames, type NewEvent, newEvent } from './recorder/new-event.js';
export { nextTry } from './recorder/next-try.js';
