import type { NodeHost } from '@nodeagent/core';
import type { MemoryRuntime } from '@nodeagent/memory-runtime';
import { runProbe } from '@nodeagent/prober';

/**
 * Probes of pods without a network: the runtime runs commands as usual; HTTP, TCP and gRPC probes succeed while a container of the pod
 * runs, unless its script's `serves` specifies another result.
 */
export function simulatedProbes(runtime: MemoryRuntime): NonNullable<NodeHost['runProbe']> {
  return async (spec, target, options) => {
    if (spec.exec) return runProbe(spec, target, options);
    options?.signal?.throwIfAborted();
    const port = spec.httpGet?.port ?? spec.tcpSocket?.port ?? spec.grpc?.port;
    const number = typeof port === 'string' ? target.ports?.find(({ name }) => name === port)?.containerPort : port;
    if (number === undefined) return runProbe(spec, target, options);
    const host = spec.httpGet?.host || spec.tcpSocket?.host || (target.host ?? '');
    if (runtime.serves(host, number)) return { result: 'success', output: '' };
    return { result: 'failure', output: `dial tcp ${host}:${number}: connect: connection refused` };
  };
}
