import { abortable, errorMessage } from '@nodeagent/api';
import type { NodeHost } from '@nodeagent/core';
import { type AcceptedConnection, type MemoryRuntime, requestTo } from '@nodeagent/memory-runtime';
import { type GrpcProbeInput, type HttpProbeRequest, type ProbeNetwork, runProbe } from '@nodeagent/prober';
import { formatUrl } from '@nodeagent/prober/decisions';

type Connect = Pick<MemoryRuntime, 'connect'>;

/**
 * Probes over the network of a simulated node: commands run in the containers as usual; HTTP, TCP and gRPC probes reach the programs that listen,
 * and containers without a program, which respond by their script's `serves`.
 */
export function simulatedProbes(runtime: Connect): NonNullable<NodeHost['runProbe']> {
  const network = probeNetwork(runtime);
  return (spec, target, options) => runProbe(spec, target, { ...options, network });
}

function probeNetwork(runtime: Connect): ProbeNetwork {
  return {
    http: (request, signal) => exchange(runtime, request, signal),
    async tcp(host, port) {
      try {
        dial(runtime, host, port);
        return { result: 'success', output: '' };
      } catch (error) {
        return { result: 'failure', output: errorMessage(error) };
      }
    },
    grpc: (input, signal) => checkHealth(runtime, input, signal),
  };
}

/** Connects; throws with the kubelet's message. */
function dial(runtime: Connect, host: string, port: number): AcceptedConnection {
  const connection = runtime.connect(host, port);
  if (typeof connection === 'object') return connection;
  const why = connection === 'refused' ? 'connection refused' : 'no route to host';
  throw new Error(`dial tcp ${host.includes(':') ? `[${host}]` : host}:${port}: connect: ${why}`);
}

async function exchange(runtime: Connect, request: HttpProbeRequest, signal: AbortSignal): ReturnType<ProbeNetwork['http']> {
  const url = new URL(formatUrl(request.url));
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, values]) => [name.toLowerCase(), values.join(', ')]));
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const server = dial(runtime, host, Number(url.port) || (url.protocol === 'https:' ? 443 : 80));
  const message = { method: 'GET', url, headers: { ...headers, host: request.host }, body: '', remoteAddress: host, signal };
  const { status, headers: received, body } = await inTime(requestTo(server, message), signal);
  return {
    status,
    location: received.location,
    readBody: async (limit) => new TextEncoder().encode(typeof body === 'string' ? body : '').slice(0, limit),
    close() {},
  };
}

async function inTime<T>(response: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await abortable(response, signal);
  } catch (error) {
    if (signal.aborted) throw new Error(`${errorMessage(signal.reason)} (Client.Timeout exceeded while awaiting headers)`);
    throw (error as { code?: string }).code === 'ECONNRESET' ? new Error('EOF') : error;
  }
}

async function checkHealth(
  runtime: Connect,
  { host, port, service, timeoutMs }: GrpcProbeInput,
  signal: AbortSignal,
): ReturnType<ProbeNetwork['grpc']> {
  const fail = (output: string) => ({ result: 'failure' as const, output });
  let connection: AcceptedConnection;
  try {
    connection = dial(runtime, host, port);
  } catch (error) {
    return fail(`error: failed to connect service at "${host}:${port}": ${errorMessage(error)}`);
  }
  try {
    if (!connection.health) {
      return fail('error: this server does not implement the grpc health protocol (grpc.health.v1.Health): unknown service');
    }
    const status = await abortable(connection.health(service), signal);
    if (status === 'SERVING') return { result: 'success', output: 'service healthy' };
    return fail(
      status === undefined ? 'error: health rpc probe failed: unknown service' : `service unhealthy (responded with "${status}")`,
    );
  } catch (error) {
    return fail(
      signal.aborted
        ? `timeout: health rpc did not complete within ${timeoutMs / 1_000}s`
        : `error: health rpc probe failed: ${errorMessage(error)}`,
    );
  }
}
