import { type Clock, errorCode, errorMessage, type Logger, systemClock } from '@nodeagent/api';
import type { CriCallRecord } from './call-record.js';
import { createCriClient } from './client.js';
import { type CriServer, serveCri } from './server.js';

/** A CRI call as plain JSON: 64-bit numbers are text and bytes are base64, as in protocol buffers' JSON. */
export interface RecordedCriCall {
  /** When it began, RFC 3339 with milliseconds. */
  at: string;
  /** How long it took; a stream's until it ended. */
  milliseconds: number;
  service: CriCallRecord['service'];
  /** As the CRI spells it: `ListContainers`. */
  method: string;
  /** Without the credentials of PullImage. Environment variables of containers are told as they are. */
  request: unknown;
  /** Absent for streams and failures. */
  response?: unknown;
  /** How many messages a stream had. */
  messages?: number;
  error?: { code: string; message: string };
}

/** Options of {@link recordCri}. */
export interface CriRecorderOptions {
  /** The runtime: `unix:///path/to/socket`, or the absolute path. */
  endpoint: string;
  /** Where the agent is to connect instead: as `endpoint`. Missing folders are made; the socket belongs to its owner alone. */
  socket: string;
  /** Told of each call once it has ended and before its answer goes out. What it throws is logged and otherwise ignored. */
  onCall(call: RecordedCriCall): void;
  /** Silent by default. */
  logger?: Logger;
  /** Default: the system's clock. */
  clock?: Clock;
}

/**
 * A CRI socket between an agent and its runtime that tells of every call: whatever comes in goes on to the runtime as it is, with the
 * caller's deadline and cancellation, and the runtime's answer or error goes back. `close()` ends both sides.
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

/** A call that ended at `endedAt` (milliseconds since 1970). */
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
