/**
 * Kubernetes events as a kubelet writes them: counted, combined, spam-filtered, in a bounded queue that never blocks.
 * The pure functions are in `@nodeagent/event-recorder/decisions`.
 *
 * @packageDocumentation
 */
export { eventRecorderErrorCodes } from './errors.js';
export { type CountedEvent, createPodEvents, type PodEvents, type PodEventsOptions, type RecordedEvent } from './pod-events.js';
export { createEventRecorder, type EventRecorderOptions, type StartableEventRecorder } from './recorder/event-recorder.js';
