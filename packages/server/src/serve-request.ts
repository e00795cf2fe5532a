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

/** Why a request may not pass; undefined if it may. A path that cannot be decoded is given as it is. */
export type Access = (request: IncomingMessage, path: string, signal: AbortSignal) => Promise<RouteRefusal | undefined>;

export interface ServeOptions {
  handlers: Handlers;
  switches: RouteSwitches;
  /** Absent: everybody may do everything that there is. */
  access?: Access;
  count: CountRequest;
  /** The server's end. */
  ended: AbortSignal;
  logger: Logger;
}

export type ServeRequest = (request: IncomingMessage, response: ServerResponse, upgrade: Upgrade | undefined) => Promise<void>;

/** Answers requests: may it pass, where does it lead, and whatever fails gets an answer. Never rejects. */
export function serveRequests({ handlers, switches, access, count, ended, logger }: ServeOptions): ServeRequest {
  return async (request, response, upgrade) => {
    // Kept: a request that was cut off has none any more.
    const { method = '', url = '', socket } = request;
    const target = parseRequestTarget(url);
    const counted = count(method, target?.path ?? '');
    const gone = new AbortController();
    const leave = () => gone.abort(new Error('the client is gone'));
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
      // Before the path is judged, so that a client without credentials gets the same answer for every path.
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
