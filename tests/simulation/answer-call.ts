import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { callHeader, type OpenCall } from './tcp-transport.js';

/** Answers a request that arrives on a connection. The server handles it when it is delivered; a rejection closes the connection. */
export async function answerCall({ call, server }: OpenCall, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { method = 'GET', url = '/' } = incoming;
  const { [callHeader]: _, ...headers } = incoming.headers as Record<string, string>;
  const connection = new AbortController();
  outgoing.once('close', () => call.lose(() => connection.abort()));
  try {
    const body = await text(incoming);
    await new Promise<void>((resolve) => call.receive(resolve));
    const response = await server.handle({ method, url, headers, signal: connection.signal, ...(body !== '' && { body }) });
    if (outgoing.destroyed) return;
    call.send(1);
    outgoing.writeHead(response.status, response.headers).flushHeaders();
    const pieces = typeof response.body === 'string' ? [response.body] : response.body;
    for await (const piece of pieces) {
      if (outgoing.destroyed) return;
      call.send(Buffer.byteLength(piece));
      // Without a wait for the socket, which would take real time.
      outgoing.write(piece);
    }
    call.sendEnd();
    if (!outgoing.destroyed) outgoing.end();
  } catch {
    call.breakOff(() => outgoing.destroy());
  }
}
