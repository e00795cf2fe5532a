/**
 * Liveness, readiness and startup probes over exec, HTTP, TCP and gRPC as the kubelet runs them, for pods and any other targets. The pure
 * functions are exported from `@nodeagent/prober/decisions`.
 *
 * @packageDocumentation
 */
export { proberErrorCodes } from './errors.js';
export type { CommandResult, RunCommand } from './handlers/exec.js';
export type { HttpExchange, HttpProbeResponse } from './handlers/http-get.js';
export type { HttpProbeRequest } from './handlers/http-request.js';
export { createPodProbeManager, type PodProbeManagerOptions } from './pod-probe-manager.js';
export type { ProbeAttempt } from './probe-attempt.js';
export {
  createProbeManager,
  type ProbeManagerOptions,
  type TargetAttempt,
  type TargetProbeManager,
  type TargetUpdate,
} from './probe-manager.js';
export type { GrpcProbeInput, ProbeNetwork } from './probe-network.js';
export { type ProbeSpec, type ProbeTarget, type RunProbe, type RunProbeOptions, runProbe } from './run-probe.js';
export type { Url } from './url.js';
