import type { InProcessServer, Transport, TransportRequest, TransportResponse } from '@nodeagent/kube-client';
import { createArrivals } from './arrivals.js';
import type { HttpCall, HttpTransit } from './http-transit.js';

/** The header that names a request's call, since requests on several connections may arrive in another order than that of sending. */
export const callHeader = 'simulated-call';

/** A call whose response has not ended at the client. */
export interface OpenCall {
  call: HttpCall;
  server: InProcessServer;
}

export interface TcpTransportOptions {
  /** Sends the requests. */
  inner: Transport;
  /** Handles them. */
  server: InProcessServer;
  transit: HttpTransit;
  /** The open calls of all transports, by the value of {@link callHeader}. */
  calls: Map<string, OpenCall>;
}

/** A transport whose requests and responses are delivered in the order of sending. */
export function createTcpTransport({ inner, server, transit, calls }: TcpTransportOptions): Transport {
  const own = new Set<HttpCall>();
  let closing: Promise<void> | undefined;

  const exchange = (request: TransportRequest) =>
    new Promise<TransportResponse>((resolve, reject) => {
      const { signal, headers } = request;
      signal.throwIfAborted();
      const call = transit.call();
      const name = String(call.order);
      const connection = new AbortController();
      const close = () => call.abort(() => connection.abort(signal.reason));
      const chunks = createArrivals<Uint8Array | string>();
      const read = async () => {
        const { body, ...head } = await inner.send({ ...request, headers: { ...headers, [callHeader]: name }, signal: connection.signal });
        call.arrive(1, () => {
          if (signal.aborted) reject(signal.reason);
          else resolve({ ...head, body: readBody(chunks, signal, close) });
        });
        for await (const chunk of body) call.arrive(chunk.length, () => chunks.push(chunk));
      };
      const finish = (outcome: { error?: unknown }) => {
        signal.removeEventListener('abort', close);
        own.delete(call);
        calls.delete(name);
        call.arriveEnd(() => {
          if ('error' in outcome) reject(outcome.error);
          chunks.end(outcome);
        });
      };
      own.add(call);
      calls.set(name, { call, server });
      signal.addEventListener('abort', close, { once: true });
      read().then(
        () => finish({}),
        (error) => finish({ error }),
      );
    });

  return {
    async send(request) {
      await closing;
      return exchange(request);
    },
    closeConnections() {
      closing ??= new Promise((resolve) => {
        transit.first(() => {
          closing = undefined;
          for (const call of own) call.expectClose();
          inner.closeConnections();
          resolve();
        });
      });
    },
  };
}

/** Reads a body until its end or until the signal aborts; a reader that stops earlier closes the connection. */
async function* readBody(chunks: AsyncIterable<Uint8Array | string>, signal: AbortSignal, close: () => void): TransportResponse['body'] {
  try {
    for await (const chunk of chunks) {
      signal.throwIfAborted();
      yield chunk;
    }
  } finally {
    close();
  }
}
