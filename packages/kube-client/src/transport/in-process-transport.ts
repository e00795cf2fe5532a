import { abortable, errorCode } from '@nodeagent/api';
import { unreachable } from '../errors.js';
import type { Transport, TransportRequest, TransportResponse } from './transport.js';

/** A server that is called instead of reached: the TestApiServer of `@nodeagent/test-api-server`, or any function like it. */
export interface InProcessServer {
  /** Rejects as a connection fails. The signal ends a watch. */
  handle(request: {
    method: string;
    /** Path and query. */
    url: string;
    headers: Readonly<Record<string, string>>;
    body?: string;
    signal: AbortSignal;
  }): Promise<{
    status: number;
    headers: Readonly<Record<string, string>>;
    body: string | AsyncIterable<string | Uint8Array>;
  }>;
}

/** Requests without a network, for virtual time. */
export function createInProcessTransport(server: InProcessServer): Transport {
  const connections = new Set<AbortController>();

  const exchange = async ({ method, path, headers, body, signal }: TransportRequest): Promise<TransportResponse> => {
    signal.throwIfAborted();
    const connection = new AbortController();
    const close = () => {
      connections.delete(connection);
      signal.removeEventListener('abort', abort);
    };
    const abort = () => {
      close();
      connection.abort(signal.reason);
    };
    connections.add(connection);
    signal.addEventListener('abort', abort, { once: true });
    try {
      const asked = { method, url: path, headers, signal: connection.signal, ...(body === undefined ? {} : { body }) };
      const answer = await abortable(server.handle(asked), connection.signal);
      return { status: answer.status, headers: answer.headers, body: readBody(answer.body, connection.signal, close) };
    } catch (error) {
      close();
      throw connection.signal.aborted || errorCode(error) !== undefined ? error : unreachable('in-process', 'answer', String(error), error);
    }
  };

  return {
    send: exchange,
    closeConnections() {
      for (const connection of connections) connection.abort(unreachable('in-process', 'answer', 'the connection was closed'));
    },
  };
}

async function* readBody(
  body: string | AsyncIterable<string | Uint8Array>,
  signal: AbortSignal,
  close: () => void,
): AsyncIterable<Uint8Array> {
  try {
    if (typeof body === 'string') {
      yield Buffer.from(body);
      return;
    }
    const chunks = body[Symbol.asyncIterator]();
    for (;;) {
      const next = await abortable(chunks.next(), signal);
      signal.throwIfAborted();
      if (next.done === true) return;
      yield typeof next.value === 'string' ? Buffer.from(next.value) : next.value;
    }
  } finally {
    close();
  }
}
