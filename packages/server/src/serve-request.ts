import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '@nodeagent/api';
import type { Handlers } from './create-handlers.js';
import { answerText, refuse } from './http/answers.js';
import type { Exchange, Upgrade } from './http/exchange.js';
import type { CountRequest } from './http/request-metrics.js';
import { notRegistered, type RouteRefusal } from './refusal.js';
import { parseRequestTarget } from './request-target.js';
import { findEndpoint } from './route.js';
import type { RouteSwitches } from './route-switches.js';

/** Why a request is denied; undefined if it is allowed. A path that cannot be decoded is passed undecoded. */
export type Access = (request: IncomingMessage, path: string, signal: AbortSignal) => Promise<RouteRefusal | undefined>;

export interface ServeOptions {
  handlers: Handlers;
  switches: RouteSwitches;
  /** Absent: all requests are allowed. */
  access?: Access;
  count: CountRequest;
  /** The server's end. */
  ended: AbortSignal;
  logger: Logger;
}

export type ServeRequest = (request: IncomingMessage, response: ServerResponse, upgrade: Upgrade | undefined) => Promise<void>;

/** Serves requests: authorizes, routes, and responds to failures. Never rejects. */
export function serveRequests({ handlers, switches, access, count, ended, logger }: ServeOptions): ServeRequest {
  return async (request, response, upgrade) => {
    // Saved, because an aborted request no longer has it.
    const { method = '', url = '', socket } = request;
    const target = parseRequestTarget(url);
    const counted = count(method, target?.path ?? '');
    const gone = new AbortController();
    const leave = () => gone.abort(new Error('the client disconnected'));
    const end = () => gone.abort(ended.reason);
    socket.once('close', leave);
    ended.addEventListener('abort', end, { once: true });
    const exchange: Exchange = {
      request,
      response,
      path: target?.path ?? '',
      query: target?.query ?? new URLSearchParams(),
      signal: gone.signal,
      ...(upgrade && { upgrade }),
    };
    try {
      // Before routing, so that requests without credentials get the same response for every path.
      const refusal = await access?.(request, target?.path ?? url.replace(/\?.*/s, ''), gone.signal);
      if (refusal !== undefined) return refuse(response, refusal);
      if (target === undefined) return answerText(response, 400, '400 Bad Request');
      const found = findEndpoint(method, target.path, switches);
      if ('status' in found) return refuse(response, found);
      const handler = handlers.get(found.endpoint.name);
      if (handler === undefined) return refuse(response, notRegistered);
      // The endpoint's own path has made the parameters of its handler.
      await handler(exchange, found.params as never);
    } catch (error) {
      if (gone.signal.aborted || response.headersSent) {
        response.destroy();
        return;
      }
      logger.warn({ err: error, method, path: target?.path }, 'a request failed');
      answerText(response, 500, 'Internal Error');
    } finally {
      socket.off('close', leave);
      ended.removeEventListener('abort', end);
      counted();
    }
  };
}
