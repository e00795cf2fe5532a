import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { RouteRefusal } from '../refusal.js';

const plainText = 'text/plain; charset=utf-8';

export function answerText(response: ServerResponse, status: number, body: string, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { 'content-type': plainText, 'content-length': Buffer.byteLength(body), ...noSniff, ...headers });
  response.end(body);
}

/** Browsers shall take nothing here for something else than it says it is. */
const noSniff = { 'x-content-type-options': 'nosniff' };

export const refuse = (response: ServerResponse, { status, body, headers }: RouteRefusal): void =>
  answerText(response, status, body, headers);

export function answerJson(response: ServerResponse, text: string): void {
  answerText(response, 200, text, { 'content-type': 'application/json' });
}

/** Commits the status before there is anything to tell, so that the client knows that it is being served. */
export function beginAnswer(response: ServerResponse, contentType: string = plainText): void {
  response.writeHead(200, { 'content-type': contentType, ...noSniff });
  response.flushHeaders();
}

/** What is handed to a connection at once, which it copies to encrypt it. */
const maxBytes = 32 * 1024;

/** Writes the pieces no faster than the client takes them. Rejects with what the source does, or when the signal aborts. */
export async function writePieces(response: ServerResponse, pieces: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> {
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; at += maxBytes) {
      signal.throwIfAborted();
      if (!response.write(piece.subarray(at, at + maxBytes))) await once(response, 'drain', { signal });
    }
  }
}
