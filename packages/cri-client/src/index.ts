/**
 * The Container Runtime Interface v1 over gRPC: {@link createCriClient} calls a container runtime behind a unix socket,
 * {@link serveCri} serves a TypeScript implementation as one, {@link recordCri} records the calls between an agent and its runtime.
 *
 * @packageDocumentation
 */
export type { CriCallRecord, OnCriCall } from './call-record.js';
export type { RuntimeFacts } from './check-runtime.js';
export { type CriClient, type CriClientOptions, createCriClient } from './client.js';
export { type CriErrorCode, criError } from './errors.js';
export { type CriRecorderOptions, type RecordedCriCall, recordCri } from './recorder.js';
export { type CriImplementation, type CriServer, type ServeCriOptions, serveCri } from './server.js';
