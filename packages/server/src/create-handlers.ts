import type { Clock, Logger } from '@nodeagent/api';
import { endpoints } from './endpoints.js';
import type { Handler } from './http/exchange.js';
import type { NodeServerOptions } from './options.js';
import { relayStream } from './relay-stream.js';

/** The handlers by the name of their endpoint; an endpoint without one responds with 404. */
export type Handlers = ReadonlyMap<string, Handler<never>>;

/** The handlers of all endpoints that the options have a port for. */
export function createHandlers(
  { relay = relayStream, ...options }: NodeServerOptions,
  ports: { clock: Clock; logger: Logger; ended: AbortSignal },
): Handlers {
  return new Map(
    endpoints.flatMap(({ name, handle }) => {
      const handler = handle({ ...options, relay, ...ports });
      return handler === undefined ? [] : [[name, handler] as const];
    }),
  );
}
