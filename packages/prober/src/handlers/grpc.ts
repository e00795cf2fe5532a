import { errorMessage } from '@nodeagent/api';
import { formatDuration } from '@nodeagent/api/helpers';
import { connectGrpc, type GrpcCalls, type GrpcMethod, grpcFailureOf } from '@nodeagent/grpc';
import { deadlineExceeded } from '../deadline-exceeded.js';
import { joinHostPort } from '../ports.js';
import { failed, type ProbeAttempt, succeeded } from '../probe-attempt.js';
import type { GrpcProbeInput } from '../probe-network.js';
import { connectTcp } from './connect.js';
import { decodeHealthResponse, encodeHealthRequest } from './health-codec.js';
import { networkErrorText } from './network-error.js';

const check: GrpcMethod<string, string | undefined, false> = {
  path: '/grpc.health.v1.Health/Check',
  streams: false,
  request: { encode: encodeHealthRequest, decode: String },
  response: { encode: () => Buffer.alloc(0), decode: decodeHealthResponse },
};

/** A health message has a few bytes. */
const maxMessageBytes = 65_536;

/**
 * Makes a gRPC probe: calls `grpc.health.v1.Health/Check` over cleartext HTTP/2 (KEP-2727; GRPC Health Checking Protocol). One time limit
 * covers the connection and the call. Never rejects.
 */
export async function grpcProbe(input: GrpcProbeInput, signal: AbortSignal): Promise<ProbeAttempt> {
  const { host, port, service, userAgent, timeoutMs } = input;
  const address = joinHostPort(host, port);
  const limit = formatDuration(timeoutMs);
  let server: GrpcCalls;
  try {
    const socket = await connectTcp(host, port, signal);
    server = await connectGrpc({ socket, authority: address, userAgent, maxReceiveMessageBytes: maxMessageBytes, signal });
  } catch (error) {
    const late = `timeout: failed to connect service ${JSON.stringify(address)} within ${limit}: context deadline exceeded`;
    return failed(
      error === deadlineExceeded
        ? late
        : `error: failed to connect service at ${JSON.stringify(address)}: ${networkErrorText(error, address)}`,
    );
  }
  try {
    const health = await server.unary(check, service, { timeoutMs, signal });
    if (health === undefined) return failed('error: health rpc probe failed: the response is no HealthCheckResponse');
    return health === 'SERVING' ? succeeded('service healthy') : failed(`service unhealthy (responded with ${JSON.stringify(health)})`);
  } catch (error) {
    const { status, description } = grpcFailureOf(error) ?? { status: undefined, description: errorMessage(error) };
    if (error === deadlineExceeded || status === 'DeadlineExceeded') return failed(`timeout: health rpc did not complete within ${limit}`);
    // A server without gRPC usually returns 404 for this path.
    if (status === 'Unimplemented') {
      return failed(`error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${description}`);
    }
    return failed(`error: health rpc probe failed: ${description}`);
  } finally {
    server.close();
  }
}
