import type { NodeAgentParts } from '@nodeagent/core';
import type { MemoryRuntime } from '@nodeagent/memory-runtime';
import { runProbe } from '@nodeagent/prober';

/**
 * Probes of pods that have no network: commands go to the runtime as ever; over HTTP, TCP and gRPC a pod answers while a container of it
 * runs, unless its script's `serves` says otherwise.
 */
export function simulatedProbes(runtime: MemoryRuntime): NonNullable<NodeAgentParts['runProbe']> {
  return async (spec, target, options) => {
    if (spec.exec) return runProbe(spec, target, options);
    options?.signal?.throwIfAborted();
    const port = spec.httpGet?.port ?? spec.tcpSocket?.port ?? spec.grpc?.port;
    const number = typeof port === 'string' ? target.ports?.find(({ name }) => name === port)?.containerPort : port;
    if (number === undefined) return runProbe(spec, target, options);
    const host = spec.httpGet?.host || spec.tcpSocket?.host || target.host;
    if (runtime.serves(host, number)) return { result: 'success', output: '' };
    return { result: 'failure', output: `dial tcp ${host}:${number}: connect: connection refused` };
  };
}
