import { canonicalRequest, type Json } from './canonical.js';
import type { Trace, TraceCall } from './trace.js';

/**
 * What an agent of the ordinary user `uid` does on the embedded runtime where a kubelet, which is root, did this: it creates no cgroups for
 * pods, and containers run as the user whom the image names, who is not root either.
 */
export function withoutRoot(trace: Trace, uid: number): Trace {
  return { ...trace, calls: trace.calls.map((call) => ({ ...call, request: requestWithoutRoot(call, uid) })) };
}

interface ConfiguredRequest {
  config: { linux?: { cgroupParent?: string; securityContext?: object } };
}

function requestWithoutRoot({ call, request }: TraceCall, uid: number): Json {
  if (call !== 'runPodSandbox' && call !== 'createContainer') return request;
  const { config, ...rest } = request as unknown as ConfiguredRequest;
  const { cgroupParent: _, ...linux } = config.linux ?? {};
  const user = call === 'createContainer' && { securityContext: { ...linux.securityContext, runAsUser: { value: String(uid) } } };
  return canonicalRequest({ ...rest, config: { ...config, linux: { ...linux, ...user } } }) ?? {};
}
