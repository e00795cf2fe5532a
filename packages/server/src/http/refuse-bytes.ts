import { type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '@nodeagent/api';

/** Statuses for bytes that are not a request, by the codes of Node's errors; 400 for all others. */
const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Time for the client to read the response before the connection is closed. Source: `rstAvoidanceDelay` of Go's net/http. */
const lingerMs = 500;

/**
 * Answers bytes that are not a request, and closes the connection. Node's default is to close at once: unread bytes of the client then reset
 * the connection, and the client loses the response. This closes the writing side, and the whole connection once the client has closed its
 * side too, or after 500 ms.
 */
export function refuseBytes(server: Pick<Server, 'on'>, clock: Pick<Clock, 'sleep'>): void {
  /** Responses that are not complete, by connection. */
  const pending = new WeakMap<Duplex, number>();
  const refused = new WeakSet<Duplex>();
  server.on('request', ({ socket }, response) => {
    pending.set(socket, (pending.get(socket) ?? 0) + 1);
    response.once('close', () => pending.set(socket, (pending.get(socket) ?? 0) - 1));
  });
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket) => {
    // Bytes that arrive after the first error are errors too.
    if (refused.has(socket)) return;
    refused.add(socket);
    // A response would become part of the one in progress.
    if (!socket.writable || code === 'ECONNRESET' || pending.get(socket)) {
      socket.destroy();
      return;
    }
    socket.end(answerOf(statuses[code] ?? 400));
    const closed = new AbortController();
    socket.once('close', () => closed.abort());
    clock.sleep(lingerMs, closed.signal).then(
      () => socket.destroy(),
      () => {},
    );
  });
}

function answerOf(status: number): string {
  const text = `${status} ${STATUS_CODES[status]}`;
  return `HTTP/1.1 ${text}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${text}`;
}
