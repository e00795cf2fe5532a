import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import { errorMessage, formatDuration } from '@nodeagent/api';
import { deadlineExceeded } from '../deadline-exceeded.js';
import { joinHostPort } from '../ports.js';
import { failed, type ProbeAttempt, succeeded } from '../probe-attempt.js';
import { connectTcp } from './connect.js';
import { decodeHealthResponse, encodeHealthRequest } from './health-codec.js';
import { networkErrorText } from './network-error.js';

export interface GrpcProbeInput {
  host: string;
  port: number;
  /** The service to check; empty for the whole server. */
  service: string;
  userAgent: string;
  timeoutMs: number;
}

/** The result of a call: a gRPC status and, if it is 0, the message. */
interface CallOutcome {
  status: number;
  text: string;
  message: Buffer;
}

/**
 * Makes a gRPC probe: calls `grpc.health.v1.Health/Check` over cleartext HTTP/2 (KEP-2727; GRPC Health Checking Protocol). One time limit
 * covers the connection and the call. Never rejects.
 */
export async function grpcProbe(input: GrpcProbeInput, signal: AbortSignal): Promise<ProbeAttempt> {
  const address = joinHostPort(input.host, input.port);
  const limit = formatDuration(input.timeoutMs);
  let session: ClientHttp2Session;
  try {
    session = await openSession(input, signal);
  } catch (error) {
    const late = `timeout: failed to connect service ${JSON.stringify(address)} within ${limit}: context deadline exceeded`;
    return failed(
      error === deadlineExceeded ? late : `error: failed to connect service at ${JSON.stringify(address)}: ${errorMessage(error)}`,
    );
  }
  try {
    const { status, text, message } = await check(session, input, address, signal);
    if (status === 12) return failed(`error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${text}`);
    if (status === 4) return failed(`timeout: health rpc did not complete within ${limit}`);
    if (status !== 0) return failed(`error: health rpc probe failed: ${text}`);
    const health = decodeHealthResponse(message);
    if (health === undefined) return failed('error: health rpc probe failed: the response is no HealthCheckResponse');
    return health === 'SERVING' ? succeeded('service healthy') : failed(`service unhealthy (responded with ${JSON.stringify(health)})`);
  } catch (error) {
    return failed(
      error === deadlineExceeded
        ? `timeout: health rpc did not complete within ${limit}`
        : `error: health rpc probe failed: ${errorMessage(error)}`,
    );
  } finally {
    session.destroy();
  }
}

/** Resolves once the server has sent its HTTP/2 settings. */
async function openSession({ host, port }: GrpcProbeInput, signal: AbortSignal): Promise<ClientHttp2Session> {
  const { connect } = await import('node:http2');
  const socket = await connectTcp(host, port, signal);
  const session = connect('http://probe', { createConnection: () => socket });
  try {
    await new Promise<void>((resolve, reject) => {
      session.once('remoteSettings', () => resolve());
      session.on('error', (error) => reject(new Error(networkErrorText(error, joinHostPort(host, port)), { cause: error })));
      session.once('close', () => reject(new Error('EOF')));
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      if (signal.aborted) reject(signal.reason);
    });
    return session;
  } catch (error) {
    session.destroy();
    throw error;
  }
}

function check(session: ClientHttp2Session, input: GrpcProbeInput, address: string, signal: AbortSignal): Promise<CallOutcome> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    const stream: ClientHttp2Stream = session.request({
      ':method': 'POST',
      ':scheme': 'http',
      ':path': '/grpc.health.v1.Health/Check',
      ':authority': address,
      'content-type': 'application/grpc',
      'user-agent': input.userAgent,
      'grpc-timeout': `${Math.max(1, Math.floor(input.timeoutMs))}m`,
      te: 'trailers',
    });
    const chunks: Buffer[] = [];
    let length = 0;
    let outcome: { status: number; text: string } | undefined;
    let httpStatus = 0;
    const note = (headers: Record<string, unknown>) => {
      const status = headers['grpc-status'];
      if (status !== undefined) outcome = { status: Number(status), text: decodeMessage(String(headers['grpc-message'] ?? '')) };
    };
    stream.on('response', (headers) => {
      httpStatus = headers[':status'] ?? 0;
      note(headers);
    });
    stream.on('trailers', note);
    stream.on('data', (chunk: Buffer) => {
      length += chunk.length;
      // A health message has a few bytes.
      if (length > largestMessage) stream.destroy(new Error(`received message larger than max (${length} vs. ${largestMessage})`));
      else chunks.push(chunk);
    });
    stream.on('error', (error) => reject(new Error(networkErrorText(error, address), { cause: error })));
    stream.on('close', () => {
      const message = Buffer.concat(chunks);
      const unexpected = `unexpected HTTP status code received from server: ${httpStatus}`;
      if (outcome !== undefined) resolve({ ...outcome, message });
      // A server without gRPC usually returns 404 for this path.
      else if (httpStatus === 404) resolve({ status: 12, text: unexpected, message });
      else reject(new Error(httpStatus === 0 ? 'the server closed the connection' : unexpected));
    });
    stream.end(encodeHealthRequest(input.service));
  });
}

const largestMessage = 65_536;

/** gRPC percent-encodes non-ASCII characters in messages. */
function decodeMessage(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
