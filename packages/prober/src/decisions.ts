/**
 * The decisions of probes: what a probe requests, what its answer means, what follows for the container, and when the next attempt runs.
 *
 * @packageDocumentation
 */
export { execProbe, probeCommand } from './handlers/exec.js';
export { httpProbe } from './handlers/http-get.js';
export { nextRedirect, type RedirectStep } from './handlers/http-redirect.js';
export { buildHttpProbeRequest, type HttpProbeInput } from './handlers/http-request.js';
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
export { type NextTick, nextTick } from './ticker.js';
export { formatUrl, parseUrl, requestTarget } from './url.js';
export { type ProbeVerdict, probeVerdict, repeatOnError } from './verdict.js';
