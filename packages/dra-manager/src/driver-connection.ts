import { connect } from 'node:net';
import { callPlugin, draHealthService, draPluginBetaService, draPluginService, type ResponseOf, streamPlugin } from '@nodeagent/plugin-api';
import type { DriverClaim } from './claim-info.js';
import { defaultHealthTimeoutMs, type ReportedHealth, shortMessage } from './device-health.js';
import type { DriverResult } from './driver-results.js';

/** Calls one instance of a DRA driver. All methods reject with the signal's reason when it aborts. */
export interface DraDriverConnection {
  /** NodePrepareResources. Resolves to the results by claim UID. The driver may get the same claim again, also while it is prepared. */
  prepare(claims: readonly DriverClaim[], signal: AbortSignal): Promise<Map<string, DriverResult>>;
  /** NodeUnprepareResources. Resolves to the results by claim UID. The driver may get claims that are not prepared. */
  unprepare(claims: readonly DriverClaim[], signal: AbortSignal): Promise<Map<string, DriverResult>>;
  /** The health of the driver's devices, all of them at each change. Ends or throws when the driver ends it. Default: it is not reported. */
  watchHealth?(signal: AbortSignal): AsyncIterable<ReportedHealth[]>;
  /** Rejects if no server accepts connections. */
  ping(signal: AbortSignal): Promise<void>;
}

/** The services of DRA drivers that the manager calls, in the order of preference. */
export const draServices = ['v1.DRAPlugin', 'v1beta1.DRAPlugin'] as const;
export type DraService = (typeof draServices)[number];

const methods = { 'v1.DRAPlugin': draPluginService, 'v1beta1.DRAPlugin': draPluginBetaService };

/** Calls the driver behind a Unix socket by gRPC, each call over a new connection. */
export function grpcDraDriver(socketPath: string, service: DraService): DraDriverConnection {
  const { nodePrepareResources, nodeUnprepareResources } = methods[service];
  return {
    async prepare(claims, signal) {
      const response = await callPlugin(socketPath, nodePrepareResources, { claims }, { signal });
      const results = response.claims.map(({ key, value }): [string, DriverResult] => {
        const devices = (value?.devices ?? []).map(({ poolName, deviceName, shareId, requestNames, cdiDeviceIds }) => ({
          poolName,
          deviceName,
          ...(shareId !== '' && { shareID: shareId }),
          requestNames,
          cdiDeviceIDs: cdiDeviceIds,
        }));
        return [key, { error: value?.error ?? '', devices }];
      });
      return new Map(results);
    },
    async unprepare(claims, signal) {
      const response = await callPlugin(socketPath, nodeUnprepareResources, { claims }, { signal });
      return new Map(response.claims.map(({ key, value }) => [key, { error: value?.error ?? '', devices: [] }]));
    },
    async *watchHealth(signal) {
      for await (const { devices } of streamPlugin(socketPath, draHealthService.nodeWatchResources, {}, { signal })) {
        yield devices.map(reportedHealth);
      }
    },
    ping: (signal) =>
      new Promise((resolve, reject) => {
        const socket = connect({ path: socketPath, signal });
        socket.once('error', reject);
        socket.once('connect', () => {
          socket.destroy();
          resolve();
        });
      }),
  };
}

type DeviceMessage = ResponseOf<typeof draHealthService.nodeWatchResources>['devices'][number];
const healthOf = { UNKNOWN: 'Unknown', HEALTHY: 'Healthy', UNHEALTHY: 'Unhealthy' } as const;

const reportedHealth = ({ device, health, healthCheckTimeoutSeconds, message }: DeviceMessage): ReportedHealth => ({
  poolName: device?.poolName ?? '',
  deviceName: device?.deviceName ?? '',
  health: healthOf[health] ?? 'Unknown',
  message: shortMessage(message),
  timeoutMs: healthCheckTimeoutSeconds > 0n ? Number(healthCheckTimeoutSeconds) * 1000 : defaultHealthTimeoutMs,
});
