/** The health of a device. `Unknown`: its driver does not report it, or has not for longer than its timeout. */
export type DeviceHealthStatus = 'Healthy' | 'Unhealthy' | 'Unknown';

/** A device in a report of its driver. */
export interface ReportedHealth {
  poolName: string;
  deviceName: string;
  health: DeviceHealthStatus;
  /** Empty if the driver has nothing to add. */
  message: string;
  /** How long the report is valid, in milliseconds. */
  timeoutMs: number;
}

/** The last report about a device. */
export interface DeviceHealth extends ReportedHealth {
  /** Milliseconds since 1970. */
  reportedAt: number;
}

/** How long a report is valid if the driver does not name a time: 30 s (KEP-4680). */
export const defaultHealthTimeoutMs = 30_000;

/** Bytes of a message; the API server rejects a status with a longer one. */
const maxMessageBytes = 1024;

/** The key of a device of a driver. */
export const deviceKey = (poolName: string, deviceName: string) => `${poolName}/${deviceName}`;

/**
 * The health of a driver's devices after a report, and the devices whose health, message or timeout it changes. A device that is absent in the report
 * keeps its health until it times out.
 */
export function reconcileHealth(
  known: ReadonlyMap<string, DeviceHealth>,
  report: readonly ReportedHealth[],
  now: number,
): { devices: Map<string, DeviceHealth>; changed: DeviceHealth[] } {
  const reported = new Map(report.map((each) => [deviceKey(each.poolName, each.deviceName), { ...each, reportedAt: now }]));
  const expired = [...known]
    .filter(([key, device]) => !reported.has(key) && device.health !== 'Unknown' && isExpired(device, now))
    .map(([key, device]): [string, DeviceHealth] => [key, { ...device, health: 'Unknown', message: '', reportedAt: now }]);
  const updates = [...reported, ...expired];
  return {
    devices: new Map([...known, ...updates]),
    changed: updates.filter(([key, device]) => isChanged(known.get(key), device)).map(([, device]) => device),
  };
}

/** What is known about a device now; `Unknown` without a valid report. */
export function healthAt(device: DeviceHealth | undefined, now: number): { health: DeviceHealthStatus; message: string } {
  if (device === undefined || isExpired(device, now)) return { health: 'Unknown', message: '' };
  return { health: device.health, message: device.message };
}

/** Shortens a message to the 1024 bytes that a status may have. */
export function shortMessage(message: string): string {
  const bytes = new TextEncoder().encode(message);
  if (bytes.length <= maxMessageBytes) return message;
  // Without the bytes of a character that is cut.
  return `${new TextDecoder().decode(bytes.subarray(0, maxMessageBytes - 3), { stream: true })}...`;
}

const isExpired = ({ reportedAt, timeoutMs }: DeviceHealth, now: number) => now - reportedAt > timeoutMs;

const isChanged = (before: DeviceHealth | undefined, after: DeviceHealth) =>
  before === undefined || before.health !== after.health || before.message !== after.message || before.timeoutMs !== after.timeoutMs;
