import { abandonAtDeadline, type Clock, errorMessage, NodeAgentError } from '@nodeagent/api';
import { deviceManagerErrorCodes } from './errors.js';
import type { DevicePluginConnection } from './plugin-connection.js';
import type { Endpoint, Plugins } from './plugins.js';
import type { AllocateResponse } from './pod-devices.js';

const preStartTimeoutMs = 30_000;

export interface PluginCallsOptions {
  plugins: Pick<Plugins, 'get'>;
  clock: Clock;
  /** Timeout of Allocate and GetPreferredAllocation. */
  allocateTimeoutMs: number;
}

/** The calls of the plugin of a resource. They reject with `DeviceAllocationFailed`. */
export interface PluginCalls {
  requiresPreStart(resource: string): boolean;
  allocate(resource: string, ids: readonly string[]): Promise<AllocateResponse>;
  /** Empty if the plugin has no preference. */
  preferredAllocation(resource: string, available: string[], mustInclude: string[], size: number): Promise<readonly string[]>;
  preStartContainer(resource: string, ids: readonly string[], signal?: AbortSignal): Promise<void>;
  /** Rejects running calls with the reason. */
  abort(reason: Error): void;
}

export function createPluginCalls({ plugins, clock, allocateTimeoutMs }: PluginCallsOptions): PluginCalls {
  let controller = new AbortController();

  const failed = (message: string, cause?: unknown) =>
    new NodeAgentError(deviceManagerErrorCodes.allocationFailed, message, cause === undefined ? {} : { cause });

  function endpointOf(resource: string): Endpoint {
    const endpoint = plugins.get(resource);
    if (endpoint === undefined) throw failed(`endpoint not found in cache for a registered resource: ${resource}`);
    return endpoint;
  }

  async function call<T>(
    resource: string,
    { connection, stoppedAt }: Endpoint,
    timeoutMs: number,
    run: (connection: DevicePluginConnection, signal: AbortSignal) => Promise<T>,
    signal: AbortSignal = controller.signal,
  ): Promise<T> {
    if (connection === undefined || stoppedAt !== undefined) throw failed(`endpoint ${resource} has been stopped`);
    const error = () => failed(`the device plugin of ${resource} did not respond within ${timeoutMs / 1000} s`);
    return abandonAtDeadline({ clock, timeoutMs, signal, error }, (own) => run(connection, own));
  }

  return {
    requiresPreStart: (resource) => endpointOf(resource).options?.preStartRequired ?? false,
    async allocate(resource, ids) {
      const endpoint = plugins.get(resource);
      if (endpoint === undefined) throw failed(`unknown Device Plugin ${resource}`);
      const run = (connection: DevicePluginConnection, signal: AbortSignal) => connection.allocate(ids, signal);
      const responses = await call(resource, endpoint, allocateTimeoutMs, run).catch((error) => {
        throw failed(errorMessage(error), error);
      });
      const [response] = responses;
      if (response === undefined) throw failed(`no containers return in allocation response of ${resource}`);
      return response;
    },
    async preferredAllocation(resource, available, mustInclude, size) {
      const endpoint = endpointOf(resource);
      if (!endpoint.options?.getPreferredAllocationAvailable) return [];
      const run = (connection: DevicePluginConnection, signal: AbortSignal) =>
        connection.preferredAllocation(available, mustInclude, size, signal);
      return call(resource, endpoint, allocateTimeoutMs, run).catch((error) => {
        throw failed(`device plugin GetPreferredAllocation rpc failed with err: ${errorMessage(error)}`, error);
      });
    },
    async preStartContainer(resource, ids, signal) {
      const run = (connection: DevicePluginConnection, own: AbortSignal) => connection.preStartContainer(ids, own);
      await call(resource, endpointOf(resource), preStartTimeoutMs, run, signal).catch((error) => {
        throw failed(`device plugin PreStartContainer rpc failed with err: ${errorMessage(error)}`, error);
      });
    },
    abort(reason) {
      controller.abort(reason);
      controller = new AbortController();
    },
  };
}
