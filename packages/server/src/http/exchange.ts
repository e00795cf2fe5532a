import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** A request and its response. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** Decoded. */
  path: string;
  query: URLSearchParams;
  /** Aborts when the client disconnects or the server stops. */
  signal: AbortSignal;
  /** The connection of an upgrade request. A handler that takes it responds on the connection instead of with `response`. */
  upgrade?: Upgrade;
  /** Whether the client may make another request, and the server serves it. */
  isAllowed(method: string, path: string): Promise<boolean>;
}

export interface Upgrade {
  /** The server does not write to it until it is taken. */
  take(): { socket: Duplex; head: Buffer };
}

/**
 * Handles the requests of one endpoint; `params` are the path's parameters. If it rejects before the response has started, the server
 * responds with an internal error.
 */
export type Handler<Params extends object = object> = (exchange: Exchange, params: Params) => void | Promise<void>;
