import { abandonAtDeadline, type Clock, errorMessage } from '@nodeagent/api';
import { grpcStatusOf, statusError } from '@nodeagent/plugin-api';
import type { DriverClaim } from './claim-info.js';
import { checkDriverResults, type DriverMethod, type DriverResult } from './driver-results.js';
import type { DriverInstance } from './drivers.js';
import type { createDraMetrics } from './metrics.js';

/** Calls a driver for a batch of claims. Rejects with an Error that names the method unless the driver succeeded for each claim. */
export type DriverCall = (
  method: DriverMethod,
  instance: Pick<DriverInstance, 'driver' | 'connection'>,
  claims: readonly DriverClaim[],
  signal: AbortSignal | undefined,
) => Promise<ReadonlyMap<string, DriverResult>>;

const callTimeoutMs = 45_000;

/** Creates calls that time out after 45 s and are measured. */
export function createDriverCall(clock: Clock, { grpcSeconds }: ReturnType<typeof createDraMetrics>): DriverCall {
  return async (method, { driver, connection }, claims, signal) => {
    const startedAt = clock.monotonic();
    const error = () => statusError('DeadlineExceeded', `DRA driver ${driver} did not respond within ${callTimeoutMs / 1000} s`);
    let status = 'OK';
    const results = await abandonAtDeadline({ clock, timeoutMs: callTimeoutMs, signal, error }, (own) =>
      method === 'NodePrepareResources' ? connection.prepare(claims, own) : connection.unprepare(claims, own),
    )
      .catch((cause) => {
        status = grpcStatusOf(cause) ?? 'Unknown';
        throw new Error(`${method}: ${errorMessage(cause)}`, { cause });
      })
      .finally(() => {
        const seconds = (clock.monotonic() - startedAt) / 1000;
        grpcSeconds.observe(seconds, { driver_name: driver, method_name: method, grpc_status_code: status });
      });
    checkDriverResults(method, claims, results);
    return results;
  };
}
