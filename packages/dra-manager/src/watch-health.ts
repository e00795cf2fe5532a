import type { Clock, Logger } from '@nodeagent/api';
import { grpcStatusOf } from '@nodeagent/plugin-api';
import type { DeviceHealth } from './device-health.js';
import type { DriverInstance } from './drivers.js';
import type { HealthCache } from './health-cache.js';

export interface WatchHealthOptions {
  cache: Pick<HealthCache, 'report' | 'forget'>;
  clock: Clock;
  logger: Logger;
  /** Called with the devices of a driver whose health has changed. */
  changed(driver: string, devices: readonly DeviceHealth[]): void;
}

const retryMs = 5_000;
/** The service is optional; a driver may offer it after its next update. */
const retryOptionalMs = 60_000;

/**
 * Follows the health that an instance of a driver reports, until the signal aborts. When the stream ends, the driver's devices are forgotten, and the
 * stream is opened again after 5 s.
 */
export async function watchHealth(
  { driver, endpoint, connection }: Pick<DriverInstance, 'driver' | 'endpoint' | 'connection'>,
  { cache, clock, logger, changed }: WatchHealthOptions,
  signal: AbortSignal,
): Promise<void> {
  /** Resolves to the delay of the next attempt. */
  const follow = async (reports: NonNullable<typeof connection.watchHealth>): Promise<number> => {
    try {
      for await (const report of reports(signal)) {
        const devices = cache.report(driver, report);
        if (devices.length > 0) changed(driver, devices);
      }
      return retryMs;
    } catch (error) {
      if (grpcStatusOf(error) === 'Unimplemented') return retryOptionalMs;
      if (!signal.aborted) logger.debug({ driver, endpoint, err: error }, 'the driver does not report the health of its devices');
      return retryMs;
    } finally {
      cache.forget(driver);
    }
  };
  const reports = connection.watchHealth?.bind(connection);
  while (reports !== undefined && !signal.aborted) {
    const delay = await follow(reports);
    await clock.sleep(delay, signal).catch(() => {});
  }
}
