/**
 * For tests of node software and controllers: a virtual clock, an in-memory CRI runtime and an in-memory API server with faults on demand,
 * pods in few words, seeded randomness, and an event recorder and a logger that remember.
 *
 * @packageDocumentation
 */
export type { CertificateSubject } from '@nodeagent/api';
export type { AccessAttributes, AccessDecision, Authorizer } from './api-server/access/authorizer.js';
export type { RequestUser } from './api-server/access/user.js';
export type { AuditEvent } from './api-server/audit.js';
export type { ApiFault, ApiFaultHandle, RequestMatch } from './api-server/faults.js';
export { createTestAuthority, type KeyedCertificate, type TestAuthority } from './api-server/http/certificates.js';
export type { NodeProxyOptions } from './api-server/http/node-proxy.js';
export type { InProcessNodeServer, NodeExecRequest } from './api-server/http/node-server.js';
export type { ServerObjects } from './api-server/objects-api.js';
export type { DeletionOptions } from './api-server/operations/delete.js';
export type { AnsweredRequest, TestApiServerOptions } from './api-server/options.js';
export type { MeasuredUsage, MetricsSource } from './api-server/requests/metrics.js';
export { type ApiRequest, type ApiResponse, textResponse } from './api-server/requests/request.js';
export type { RequestInfo } from './api-server/requests/request-info.js';
export {
  createTestApiServer,
  type KubeconfigOptions,
  type ListenOptions,
  type TestApiServer,
} from './api-server/test-api-server.js';
export { createVirtualClock, type VirtualClock, type VirtualClockOptions } from './clock/virtual-clock.js';
export type { MemoryRuntimeErrorCode } from './errors.js';
export type {
  ContainerBehaviour,
  ContainerMatch,
  ContainerSubject,
  ContainerUsage,
  ExecAnswer,
  Script,
  ScriptedLogLine,
} from './memory-runtime/behaviour.js';
export { type RecordedCall, summarizeCall } from './memory-runtime/calls.js';
export type { Fault, FaultHandle } from './memory-runtime/faults.js';
export type { ImageBehaviour } from './memory-runtime/image-store.js';
export type { MemoryContainer, MemorySandbox } from './memory-runtime/inspection.js';
export { createMemoryRuntime, type MemoryRuntime } from './memory-runtime/memory-runtime.js';
export type { CriMethod, CriMethods, CriRequest, CriResponse } from './memory-runtime/methods.js';
export type { FileSink, MemoryRuntimeOptions } from './memory-runtime/options.js';
export type { RunningUsage } from './memory-runtime/stats.js';
export { buildContainer, buildPod, type ContainerInput, type PodInput } from './pods/build-pod.js';
export { createManualSource, type ManualSource } from './pods/manual-source.js';
export { seededRandom } from './random/seeded-random.js';
export { createRecordingLogger, type LoggedLine, type RecordingLogger } from './recording/recording-logger.js';
export { createRecordingRecorder, type RecordingRecorder, type ReportedEvent } from './recording/recording-recorder.js';
