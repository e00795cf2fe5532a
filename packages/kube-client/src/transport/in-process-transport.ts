import { abortable, errorCode } from '@nodeagent/api';
import { encodeUtf8 } from '@nodeagent/api/helpers';
import { unreachable } from '../errors.js';
import type { Transport, TransportRequest, TransportResponse } from './transport.js';

/** A server in the same process: the TestApiServer of `@nodeagent/test-api-server`, or any similar function. */
export interface InProcessServer {
  /** A rejection counts as a failed connection. The signal ends a watch. */
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

/** Creates a transport without a network, for virtual time. */
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
      const target = { method, url: path, headers, signal: connection.signal, ...(body === undefined ? {} : { body }) };
      const answer = await abortable(server.handle(target), connection.signal);
      return { status: answer.status, headers: answer.headers, body: readBody(answer.body, connection.signal, close) };
    } catch (error) {
      close();
      throw connection.signal.aborted || errorCode(error) !== undefined
        ? error
        : unreachable('in-process', 'response', String(error), error);
    }
  };

  return {
    send: exchange,
    closeConnections() {
      for (const connection of connections) connection.abort(unreachable('in-process', 'response', 'the connection was closed'));
    },
  };
}

async function* readBody(
  body: string | AsyncIterable<string | Uint8Array>,
  signal: AbortSignal,
  close: () => void,
): TransportResponse['body'] {
  try {
    if (typeof body === 'string') {
      yield body;
      return;
    }
    const chunks = body[Symbol.asyncIterator]();
    for (;;) {
      const next = await abortable(chunks.next(), signal);
      signal.throwIfAborted();
      if (next.done === true) return;
      yield typeof next.value === 'string' ? encodeUtf8(next.value) : next.value;
    }
  } finally {
    close();
  }
}
