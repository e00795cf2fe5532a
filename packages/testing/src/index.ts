/**
 * For tests of node software and controllers: a virtual clock, seeded randomness, pods in few words, matchers of pods, a pod source to set by
 * hand, and an event recorder and a logger that remember.
 *
 * @packageDocumentation
 */
export { createVirtualClock, type VirtualClock, type VirtualClockOptions } from './clock/virtual-clock.js';
export { buildContainer, buildPod, type ContainerInput, type PodInput } from './pods/build-pod.js';
export { createManualSource, type ManualSource } from './pods/manual-source.js';
export { describePod, type MatcherResult, type PodMatchers, podMatchers } from './pods/pod-matchers.js';
export { seededRandom } from './random/seeded-random.js';
export { createRecordingLogger, type LoggedLine, type RecordingLogger } from './recording/recording-logger.js';
export { createRecordingRecorder, type RecordingRecorder, type ReportedEvent } from './recording/recording-recorder.js';
