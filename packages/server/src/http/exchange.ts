import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** A request and its answer in the making. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** Decoded. */
  path: string;
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

/** Answers the requests of one endpoint; `params` is what the path says. What it rejects with is answered as a failure of the server, unless the answer has begun. */
export type Handler<Params extends object = object> = (exchange: Exchange, params: Params) => void | Promise<void>;
