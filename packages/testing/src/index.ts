/**
 * For tests of node software: a virtual clock, an in-memory CRI runtime with scripted behaviour and faults, pods in few words,
 * seeded randomness, and an event recorder and a logger that remember.
 *
 * @packageDocumentation
 */
export { createVirtualClock, type VirtualClock, type VirtualClockOptions } from './clock/virtual-clock.js';
export {
  type CsiCall,
  type CsiFault,
  type CsiTestDriver,
  type CsiTestDriverOptions,
  createCsiTestDriver,
} from './csi-driver/csi-test-driver.js';
export type { CriErrorCode } from './errors.js';
export type {
  ContainerBehaviour,
  ContainerMatch,
  ContainerSubject,
  ContainerUsage,
  ExecAnswer,
  LogLine,
  Script,
} from './memory-runtime/behaviour.js';
export { type RecordedCall, summarizeCall } from './memory-runtime/calls.js';
export type { Fault, FaultHandle } from './memory-runtime/faults.js';
export type { ImageBehaviour } from './memory-runtime/image-store.js';
export type { MemoryContainer, MemorySandbox } from './memory-runtime/inspection.js';
export { createMemoryRuntime, type MemoryRuntime } from './memory-runtime/memory-runtime.js';
export type { CriMethod, CriRequest, CriResponse, CriServices } from './memory-runtime/methods.js';
export type { FileSink, MemoryRuntimeOptions } from './memory-runtime/options.js';
export { buildContainer, buildPod, type ContainerInput, type PodInput } from './pods/build-pod.js';
export { createManualSource, type ManualSource } from './pods/manual-source.js';
export { seededRandom } from './random/seeded-random.js';
export { createRecordingLogger, type LoggedLine, type RecordingLogger } from './recording/recording-logger.js';
export { createRecordingRecorder, type RecordedEvent, type RecordingRecorder } from './recording/recording-recorder.js';
