import { isObject } from '@nodeagent/api/helpers';
import { type DeviceHealth, type DeviceHealthStatus, defaultHealthTimeoutMs, deviceKey } from './device-health.js';

/** The devices of each driver by {@link deviceKey}. */
export type HealthByDriver = ReadonlyMap<string, ReadonlyMap<string, DeviceHealth>>;

/** Encodes the file `dra_health_state` as a kubelet does: times as RFC 3339, timeouts in nanoseconds. */
export function encodeHealth(drivers: HealthByDriver): string {
  const entries = Array.from(drivers, ([driver, devices]) => [
    driver,
    { Devices: Object.fromEntries(Array.from(devices, ([key, device]) => [key, encodeDevice(device)])) },
  ]);
  return JSON.stringify(Object.fromEntries(entries));
}

const encodeDevice = ({ poolName, deviceName, health, message, timeoutMs, reportedAt }: DeviceHealth) => ({
  PoolName: poolName,
  DeviceName: deviceName,
  Health: health,
  LastUpdated: new Date(reportedAt).toISOString(),
  HealthCheckTimeout: timeoutMs * nanosecondsPerMs,
  Message: message,
});

/** Decodes a file of {@link encodeHealth} or of a kubelet. Throws an Error that describes the problem. */
export function decodeHealth(text: string): HealthByDriver {
  const file: unknown = JSON.parse(text);
  if (!isObject(file)) throw new Error('not an object');
  return new Map(Object.entries(file).map(([driver, state]) => [driver, decodeDevices(state, driver)]));
}

function decodeDevices(state: unknown, driver: string): Map<string, DeviceHealth> {
  const devices = isObject(state) ? (state.Devices ?? {}) : undefined;
  if (!isObject(devices)) throw new Error(`"Devices" of ${driver} is not an object`);
  return new Map(
    Object.values(devices).map((each) => {
      const device = decodeDevice(each, driver);
      return [deviceKey(device.poolName, device.deviceName), device];
    }),
  );
}

function decodeDevice(value: unknown, driver: string): DeviceHealth {
  const { PoolName, DeviceName, Health, LastUpdated, HealthCheckTimeout, Message } = isObject(value) ? value : {};
  const reportedAt = typeof LastUpdated === 'string' ? Date.parse(LastUpdated) : Number.NaN;
  if (typeof PoolName !== 'string' || typeof DeviceName !== 'string' || !isHealth(Health) || Number.isNaN(reportedAt)) {
    throw new Error(`a device of ${driver} has no "PoolName", "DeviceName", "Health" or "LastUpdated"`);
  }
  const timeoutMs = typeof HealthCheckTimeout === 'number' && HealthCheckTimeout > 0 ? HealthCheckTimeout / nanosecondsPerMs : undefined;
  return {
    poolName: PoolName,
    deviceName: DeviceName,
    health: Health,
    message: typeof Message === 'string' ? Message : '',
    timeoutMs: timeoutMs ?? defaultHealthTimeoutMs,
    reportedAt,
  };
}

const nanosecondsPerMs = 1_000_000;
const isHealth = (value: unknown): value is DeviceHealthStatus => value === 'Healthy' || value === 'Unhealthy' || value === 'Unknown';
