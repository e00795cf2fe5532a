import type { Clock, Logger } from '@nodeagent/api';
import type { EndpointPath } from './endpoint-path.js';
import type { Handler } from './http/exchange.js';
import type { NodeServerOptions } from './options.js';
import type { RelayStreamOptions } from './relay-stream.js';
import type { SwitchRequirement } from './route-switches.js';

/** The inputs of handlers: the server's options with their defaults. */
interface EndpointPorts extends Omit<NodeServerOptions, 'clock' | 'logger' | 'relay'> {
  clock: Clock;
  logger: Logger;
  /** Relays upgraded connections. */
  relay(options: RelayStreamOptions): void;
  /** The server's end. */
  ended: AbortSignal;
}

/** The definition of an endpoint, for routing, authorization, metrics labels and handlers. */
export interface Endpoint<Name extends string, Params extends object> {
  /** The name in a `Route`. */
  name: Name;
  path: EndpointPath<Params>;
  /** `any`: the handler checks the method. */
  methods: readonly string[] | 'any';
  /** Subresources of the node, in the order of the reviews; the request is allowed if one of them is. */
  authorization: readonly [string, ...string[]];
  /**
   * The endpoint runs commands in pods or connects to them: the verb `create` is required too, whatever the method is. WebSocket clients use GET, and
   * who may read through the node must not enter its pods.
   */
  requiresCreate?: true;
  /** The label `path` in metrics; a function gets the segments below the first one. Endpoints with the same first segment share it. */
  label: string | ((rest: readonly string[]) => string);
  /** The label `long_running` in metrics. */
  isLongRunning: boolean;
  /** The switches that must be on, in the order in which they are tested. */
  enabledBy: readonly SwitchRequirement[];
  /** Creates the handler; undefined if the options lack its port; the endpoint then responds with 404. */
  handle(ports: EndpointPorts): Handler<Params> | undefined;
}

/** An endpoint whose name and parameters are not known. */
export interface AnyEndpoint extends Omit<Endpoint<string, object>, 'handle'> {
  handle(ports: EndpointPorts): Handler<never> | undefined;
}

/** Defines an endpoint; `endpoints` lists it. */
export function defineEndpoint<const Name extends string, Params extends object>(endpoint: Endpoint<Name, Params>): Endpoint<Name, Params> {
  return endpoint;
}
