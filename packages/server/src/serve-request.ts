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

/** Whether the client of a request may make another one. */
type IsAllowed = (method: string, path: string) => Promise<boolean>;

/** Why a request is denied; if it is allowed, what else its client may do. A path that cannot be decoded is passed undecoded. */
export type Access = (request: IncomingMessage, path: string, signal: AbortSignal) => Promise<RouteRefusal | IsAllowed>;

export interface ServeOptions {
  handlers: Handlers;
  switches: RouteSwitches;
  /** Absent: all requests are allowed. */
  access?: Access;
  count: CountRequest;
  /** The server's onEnded. */
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
    const aborted = new AbortController();
    const onClose = () => aborted.abort(new Error('the client disconnected'));
    const onEnded = () => aborted.abort(ended.reason);
    socket.once('close', onClose);
    if (upgrade === undefined) socket.once('end', onClose);
    ended.addEventListener('abort', onEnded, { once: true });
    let isAllowed: IsAllowed = async () => true;
    const isServed = (each: string, path: string) => {
      const found = findEndpoint(each, path, switches);
      return !('status' in found) && handlers.has(found.endpoint.name);
    };
    const exchange: Exchange = {
      isAllowed: async (each, path) => isServed(each, path) && (await isAllowed(each, path)),
      request,
      response,
      path: target?.path ?? '',
      query: target?.query ?? new URLSearchParams(),
      signal: aborted.signal,
      ...(upgrade && { upgrade }),
    };
    try {
      // Before routing, so that requests without credentials get the same response for every path.
      const permission = await access?.(request, target?.path ?? url.replace(/\?.*/s, ''), aborted.signal);
      if (typeof permission === 'object') return refuse(response, permission);
      isAllowed = permission ?? isAllowed;
      if (target === undefined) return answerText(response, 400, '400 Bad Request');
      const found = findEndpoint(method, target.path, switches);
      if ('status' in found) return refuse(response, found);
      const handler = handlers.get(found.endpoint.name);
      if (handler === undefined) return refuse(response, notRegistered);
      // The path of the same endpoint parsed the parameters of its handler.
      await handler(exchange, found.params as never);
    } catch (error) {
      if (aborted.signal.aborted || response.headersSent) {
        response.destroy();
        return;
      }
      logger.warn({ err: error, method, path: target?.path }, 'a request failed');
      answerText(response, 500, 'Internal Error');
    } finally {
      socket.off('close', onClose);
      socket.off('end', onClose);
      ended.removeEventListener('abort', onEnded);
      counted();
    }
  };
}
