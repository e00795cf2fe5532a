/**
 * Pure functions of probes: the request of a probe, the meaning of its response, the state of the worker, and the time of the next attempt;
 * and the worker of a single probe with the store of its results.
 *
 * @packageDocumentation
 */
export { execProbe, probeCommand } from './handlers/exec.js';
export { httpProbe } from './handlers/http-get.js';
export { nextRedirect, type RedirectStep } from './handlers/http-redirect.js';
export { buildHttpProbeRequest, type HttpProbeInput } from './handlers/http-request.js';
export type { Limiter } from './limiter.js';
export { probePort } from './ports.js';
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
export { type ProbeWorker, type ProbeWorkerOptions, startProbeWorker } from './probe-worker.js';
export { createResultStore, type ResultStore } from './result-store.js';
export { type NextTick, nextTick } from './ticker.js';
export { formatUrl, parseUrl, requestTarget } from './url.js';
export { type ProbeVerdict, probeVerdict, repeatOnError } from './verdict.js';
