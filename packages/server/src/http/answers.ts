import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { RouteRefusal } from '../refusal.js';

const plainText = 'text/plain; charset=utf-8';

export function answerText(response: ServerResponse, status: number, body: string, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { 'content-type': plainText, 'content-length': Buffer.byteLength(body), ...noSniff, ...headers });
  response.end(body);
}

/** Prevents browsers from guessing content types. */
const noSniff = { 'x-content-type-options': 'nosniff' };

export const refuse = (response: ServerResponse, { status, body, headers }: RouteRefusal): void =>
  answerText(response, status, body, headers);

export function answerJson(response: ServerResponse, text: string): void {
  answerText(response, 200, text, { 'content-type': 'application/json' });
}

/** Sends status and headers before the first data, so that the client knows that it is being served. */
export function beginAnswer(response: ServerResponse, contentType: string = plainText): void {
  response.writeHead(200, { 'content-type': contentType, ...noSniff });
  response.flushHeaders();
}

/** Maximum size of one write, which the connection copies for encryption. */
const maxBytes = 32 * 1024;

/** Writes the pieces with back-pressure from the client. Rejects with the source's error, or when the signal aborts. */
export async function writePieces(response: ServerResponse, pieces: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> {
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; at += maxBytes) {
      signal.throwIfAborted();
      if (!response.write(piece.subarray(at, at + maxBytes))) await once(response, 'drain', { signal });
    }
  }
}
