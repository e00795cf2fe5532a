import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** A request and its answer in the making. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  query: URLSearchParams;
  /** Aborts when the client is gone, and at the server's end. */
  signal: AbortSignal;
  /** The connection itself, of a request to upgrade it: who takes it answers there, and not with `response`. */
  upgrade?: Upgrade;
}

export interface Upgrade {
  /** Nobody writes to it until it is taken. */
  take(): { socket: Duplex; head: Buffer };
}

/** Answers one kind of request. What it rejects with is answered as a failure of the server, unless the answer has begun. */
export type Handler<Target = undefined> = (exchange: Exchange, target: Target) => void | Promise<void>;
