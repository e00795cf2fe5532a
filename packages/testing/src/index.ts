/**
 * Utilities for tests of node software and controllers: a virtual clock, seeded randomness, pod builders, pod matchers, a manual pod source,
 * a recording event recorder and a recording logger.
 *
 * @packageDocumentation
 */
export { createVirtualClock, type VirtualClock, type VirtualClockOptions } from './clock/virtual-clock.js';
export { testingErrorCodes } from './errors.js';
export { buildContainer, buildPod, type ContainerInput, type PodInput } from './pods/build-pod.js';
export { createManualSource, type ManualSource } from './pods/manual-source.js';
export { describePod, type MatcherResult, type PodMatchers, podMatchers } from './pods/pod-matchers.js';
export { seededRandom } from './random/seeded-random.js';
export { createRecordingLogger, type LoggedLine, type RecordingLogger } from './recording/recording-logger.js';
export { createRecordingRecorder, type RecordingRecorder, type ReportedEvent } from './recording/recording-recorder.js';
