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
export { createMemoryFileSystem, type MemoryFileSystem } from './files/memory-file-system.js';
export type { ProgramFiles } from './files/program-files.js';
export type { ImageBehaviour } from './image-behaviour.js';
export type { MemoryContainer, MemorySandbox } from './inspection.js';
export type { LogEntry } from './log-entry.js';
export { createMemoryRuntime, type MemoryRuntime } from './memory-runtime.js';
export type { CriMethod, CriMethods, CriRequest, CriResponse } from './methods.js';
export type { FileSink, MemoryRuntimeOptions } from './options.js';
export type {
  FetchOptions,
  FetchResponse,
  HealthHandler,
  HealthStatus,
  HttpHandler,
  HttpMessage,
  HttpReply,
  ListenHandler,
  ListeningServer,
  ServerReply,
  ServerRequest,
} from './program/http.js';
export {
  type AcceptedConnection,
  hostOf,
  isAddress,
  type NetworkClient,
  NetworkError,
  type NetworkErrorCode,
  type ProgramNetwork,
  portOf,
  requestTo,
} from './program/network.js';
export {
  type ExecCommand,
  type ExecHandler,
  type ExitValue,
  type Program,
  type ProgramContext,
  type ProgramImage,
  ProgramSignal,
} from './program/program.js';
export type { RunningUsage } from './stats.js';
