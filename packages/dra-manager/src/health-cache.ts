import type { Clock, Logger } from '@nodeagent/api';
import { createCheckpointFile } from '@nodeagent/api/files';
import { type DeviceHealth, type DeviceHealthStatus, deviceKey, healthAt, type ReportedHealth, reconcileHealth } from './device-health.js';
import { decodeHealth, encodeHealth } from './health-checkpoint.js';

/** What the drivers report about their devices, with its checkpoint. */
export interface HealthCache {
  /** Reads the checkpoint. Never rejects: a corrupt one is logged and renamed. */
  load(): Promise<void>;
  /** Takes a report. Returns the devices that it changes. */
  report(driver: string, devices: readonly ReportedHealth[]): DeviceHealth[];
  /** Forgets the devices of a driver, which no longer reports. */
  forget(driver: string): void;
  /** What is known about a device now. */
  of(driver: string, poolName: string, deviceName: string): { health: DeviceHealthStatus; message: string };
  /** Resolves when no write is running. */
  settled(): Promise<void>;
}

/** Creates an empty cache with the checkpoint at the path. A checkpoint that cannot be written is logged: it only matters after a restart. */
export function createHealthCache(path: string, { clock, logger }: { clock: Clock; logger: Logger }): HealthCache {
  const drivers = new Map<string, ReadonlyMap<string, DeviceHealth>>();
  const file = createCheckpointFile({ path, encode: encodeHealth, decode: decodeHealth });
  let saving = Promise.resolve();
  let isQueued = false;

  const save = () => {
    if (isQueued) return;
    isQueued = true;
    saving = saving
      .then(() => {
        isQueued = false;
        return file.save(drivers);
      })
      .catch((error) => logger.warn({ path, err: error }, 'cannot write the health of devices'));
  };
  return {
    async load() {
      try {
        for (const [driver, devices] of (await file.load()) ?? []) drivers.set(driver, devices);
      } catch (error) {
        logger.warn({ err: error }, 'cannot read the health of devices: it is unknown until their drivers report it');
      }
    },
    report(driver, report) {
      const { devices, changed } = reconcileHealth(drivers.get(driver) ?? new Map(), report, clock.now());
      drivers.set(driver, devices);
      if (changed.length > 0) save();
      return changed;
    },
    forget(driver) {
      if (drivers.delete(driver)) save();
    },
    of: (driver, poolName, deviceName) => healthAt(drivers.get(driver)?.get(deviceKey(poolName, deviceName)), clock.now()),
    settled: () => saving,
  };
}
