import { type Clock, errorCode, errorMessage, type Logger, systemClock } from '@nodeagent/api';
import type { CriCallRecord } from './call-record.js';
import { createCriClient } from './client.js';
import { type CriServer, serveCri } from './server.js';

/** A CRI call as plain JSON: 64-bit numbers are strings and bytes are base64, as in the JSON format of protocol buffers. */
export interface RecordedCriCall {
  /** Start time, RFC 3339 with milliseconds. */
  at: string;
  /** Duration; for a stream until its end. */
  milliseconds: number;
  service: CriCallRecord['service'];
  /** As the CRI spells it: `ListContainers`. */
  method: string;
  /** The request. The credentials of PullImage are omitted; environment variables of containers are included. */
  request: unknown;
  /** Absent for streams and failures. */
  response?: unknown;
  /** Number of messages of a stream. */
  messages?: number;
  error?: { code: string; message: string };
}

/** Options of {@link recordCri}. */
export interface CriRecorderOptions {
  /** The runtime: `unix:///path/to/socket`, or the absolute path. */
  endpoint: string;
  /** The socket that the agent connects to: as `endpoint`. Missing folders are created; the socket's mode is 0600. */
  socket: string;
  /** Called after each call, before its response is sent. Errors that it throws are logged and ignored. */
  onCall(call: RecordedCriCall): void;
  /** Silent by default. */
  logger?: Logger;
  /** Default: the system clock. */
  clock?: Clock;
}

/**
 * Serves a CRI socket between an agent and its runtime, and reports every call. Requests are forwarded unchanged, with the caller's
 * deadline and cancellation; the runtime's response or error is returned. `close()` closes both sides.
 *
 * @throws NodeAgentError as {@link serveCri} does
 */
export async function recordCri(options: CriRecorderOptions): Promise<CriServer> {
  const { endpoint, socket, onCall, logger, clock = systemClock } = options;
  const log = logger && { logger };
  const client = createCriClient({ endpoint, ...log });
  try {
    const record = (call: CriCallRecord) => onCall(recordedCall(call, clock.now()));
    const server = await serveCri(client, { socket, onCall: record, clock, gracePeriodMs: 0, ...log });
    return {
      socket: server.socket,
      async close() {
        await server.close();
        client.close();
      },
    };
  } catch (error) {
    client.close();
    throw error;
  }
}

/** Converts a call that completed at `endedAt` (milliseconds since 1970) to JSON. */
export function recordedCall(call: CriCallRecord, endedAt: number): RecordedCriCall {
  const { service, method, request, response, messages, error, milliseconds } = call;
  return {
    at: new Date(endedAt - milliseconds).toISOString(),
    milliseconds: Math.round(milliseconds * 10) / 10,
    service,
    method,
    request: plainJson(method === 'PullImage' ? withoutCredentials(request) : request),
    ...(response !== undefined && { response: plainJson(response) }),
    ...(messages !== undefined && { messages }),
    ...(error !== undefined && { error: { code: errorCode(error) ?? 'CRI_UNKNOWN', message: errorMessage(error) } }),
  };
}

function withoutCredentials(request: unknown): unknown {
  const { auth: _auth, ...rest } = request as { auth?: unknown };
  return rest;
}

function plainJson(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(plainJson);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .map(([name, field]) => [name, plainJson(field)]),
  );
}
