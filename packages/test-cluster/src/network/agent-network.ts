import { abortable, errorMessage } from '@nodeagent/api';
import type { NodeHost } from '@nodeagent/core';
import { type AcceptedConnection, type HttpReply, hostOf, type MemoryRuntime, portOf, requestTo } from '@nodeagent/memory-runtime';
import type { GrpcProbeInput, HttpProbeRequest, ProbeNetwork } from '@nodeagent/prober';
import { formatUrl } from '@nodeagent/prober/decisions';

interface AgentNetworkOptions {
  runtime: Pick<MemoryRuntime, 'connect'>;
  /** The node's address. */
  address: string;
}

/**
 * How the agent of a simulated node reaches its pods: HTTP, TCP and gRPC probes and HTTP hooks connect to the programs that listen, and to
 * containers without a program, which respond by their script's `serves`.
 */
export function agentNetwork(options: AgentNetworkOptions): Required<Pick<NodeHost, 'probeNetwork' | 'hookHttpGet'>> {
  return {
    probeNetwork: {
      http: (request, signal) => exchange(options, request, signal),
      async tcp(host, port) {
        try {
          dial(options, host, port);
          return { result: 'success', output: '' };
        } catch (error) {
          return { result: 'failure', output: errorMessage(error) };
        }
      },
      grpc: (input, signal) => checkHealth(options, input, signal),
    },
    async hookHttpGet(url, headers, signal = new AbortController().signal) {
      const { status } = await abortable(get(options, url, headers, signal), signal);
      return status;
    },
  };
}

/** Connects; throws with the kubelet's message. */
function dial({ runtime }: AgentNetworkOptions, host: string, port: number): AcceptedConnection {
  const connection = runtime.connect(host, port);
  if (typeof connection === 'object') return connection;
  const why = connection === 'refused' ? 'connection refused' : 'no route to host';
  throw new Error(`dial tcp ${host.includes(':') ? `[${host}]` : host}:${port}: connect: ${why}`);
}

/** Makes a GET request. There is no TLS: a server responds to both schemes. */
async function get(
  options: AgentNetworkOptions,
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<HttpReply> {
  const server = dial(options, hostOf(url), portOf(url));
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const message = { method: 'GET', url, headers: { host: url.host, ...named }, body: '', remoteAddress: options.address, signal };
  return requestTo(server, message);
}

async function exchange(options: AgentNetworkOptions, request: HttpProbeRequest, signal: AbortSignal): ReturnType<ProbeNetwork['http']> {
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, values]) => [name, values.join(', ')]));
  const response = get(options, new URL(formatUrl(request.url)), { ...headers, host: request.host }, signal);
  const { status, headers: received, body } = await inTime(response, signal);
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
  options: AgentNetworkOptions,
  { host, port, service, timeoutMs }: GrpcProbeInput,
  signal: AbortSignal,
): ReturnType<ProbeNetwork['grpc']> {
  const fail = (output: string) => ({ result: 'failure' as const, output });
  let connection: AcceptedConnection;
  try {
    connection = dial(options, host, port);
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
