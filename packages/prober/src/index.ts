/**
 * Liveness, readiness and startup probes over exec, HTTP, TCP and gRPC as the kubelet runs them: for pods, and for anything else.
 *
 * @packageDocumentation
 */
export { proberErrorCodes } from './errors.js';
export { type CommandResult, execProbe, probeCommand, type RunCommand } from './handlers/exec.js';
export { type HttpExchange, type HttpProbeResponse, httpProbe } from './handlers/http-get.js';
export { nextRedirect, type RedirectStep } from './handlers/http-redirect.js';
export { buildHttpProbeRequest, type HttpProbeInput, type HttpProbeRequest } from './handlers/http-request.js';
export { createPodProbeManager, type PodProbeManagerOptions } from './pod-probe-manager.js';
export type { ProbeAttempt } from './probe-attempt.js';
export { createProbeManager, type ProbeManagerOptions, type TargetProbeManager, type TargetUpdate } from './probe-manager.js';
export {
  initialProbeState,
  nextProbeState,
  type ProbeEvent,
  type ProbeState,
  type ProbeStep,
  type ProbeSubject,
  type ProbeType,
  type PublishedResult,
} from './probe-state.js';
export { type ProbeSpec, type ProbeTarget, type RunProbeOptions, runProbe } from './run-probe.js';
export { type NextTick, nextTick } from './ticker.js';
export { formatUrl, parseUrl, requestTarget, type Url } from './url.js';
export { type ProbeVerdict, probeVerdict, repeatOnError } from './verdict.js';
