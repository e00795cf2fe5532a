/**
 * A container runtime in memory that serves CRI v1: containers behave as scripted, in virtual time, and calls fail on demand.
 *
 * @packageDocumentation
 */
export type {
  ContainerBehaviour,
  ContainerMatch,
  ContainerSubject,
  ContainerUsage,
  ExecAnswer,
  Script,
  ScriptedLogLine,
} from './behaviour.js';
export { type RecordedCall, summarizeCall } from './calls.js';
export type { MemoryRuntimeErrorCode } from './errors.js';
export type { Fault, FaultHandle } from './faults.js';
export type { ImageBehaviour } from './image-store.js';
export type { MemoryContainer, MemorySandbox } from './inspection.js';
export { createMemoryRuntime, type MemoryRuntime } from './memory-runtime.js';
export type { CriMethod, CriMethods, CriRequest, CriResponse } from './methods.js';
export type { FileSink, MemoryRuntimeOptions } from './options.js';
export type { RunningUsage } from './stats.js';
