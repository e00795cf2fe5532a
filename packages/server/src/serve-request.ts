import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '@nodeagent/api';
import { answerText, refuse } from './http/answers.js';
import type { Exchange, Handler, Upgrade } from './http/exchange.js';
import type { CountRequest } from './http/request-metrics.js';
import { parseRequestTarget } from './request-target.js';
import type { MetricsPage } from './route.js';
import { type PathTarget, type Route, type RouteRefusal, type RouteSwitches, route } from './route.js';

/** Who answers what; what is absent is not found. */
export interface Handlers {
  healthz?: Handler<string>;
  pods?: Handler;
  runningpods?: Handler;
  summary?: Handler;
  configz?: Handler;
  flags?: Handler;
  ui?: Handler;
  metrics?: Handler<MetricsPage>;
  logs?: Handler<string>;
  pprof?: Handler<string>;
  containerLogs?: Handler<PathTarget>;
  exec?: Handler<PathTarget>;
  attach?: Handler<PathTarget>;
  portForward?: Handler<PathTarget>;
  run?: Handler<PathTarget>;
  checkpoint?: Handler<PathTarget>;
}

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
      query: target?.query ?? new URLSearchParams(),
      signal: gone.signal,
      ...(upgrade && { upgrade }),
    };
    try {
      // Before the path is judged, so that a client without credentials gets the same answer for every path.
      const refusal = await access?.(request, target?.path ?? url.replace(/\?.*/s, ''), gone.signal);
      if (refusal !== undefined) return refuse(response, refusal);
      if (target === undefined) return answerText(response, 400, '400 Bad Request');
      const found = route(method, target.path, switches);
      if ('status' in found) return refuse(response, found);
      await handle(handlers, found, exchange, target.path);
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

async function handle(handlers: Handlers, found: Route, exchange: Exchange, path: string): Promise<void> {
  const answered =
    'target' in found
      ? call(handlers[found.name], exchange, found.target)
      : 'rest' in found
        ? call(handlers[found.name], exchange, found.rest)
        : found.name === 'metrics'
          ? call(handlers.metrics, exchange, found.page)
          : found.name === 'healthz'
            ? call(handlers.healthz, exchange, path)
            : call(handlers[found.name], exchange, undefined);
  await answered;
}

function call<Target>(handler: Handler<Target> | undefined, exchange: Exchange, target: Target): void | Promise<void> {
  if (handler === undefined) return answerText(exchange.response, 404, '404 page not found\n');
  return handler(exchange, target);
}
