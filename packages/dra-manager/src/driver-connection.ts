import { connect } from 'node:net';
import { callPlugin, draPluginBetaService, draPluginService } from '@nodeagent/plugin-api';
import type { DriverClaim } from './claim-info.js';
import type { DriverResult } from './driver-results.js';

/** Calls one instance of a DRA driver. All methods reject with the signal's reason when it aborts. */
export interface DraDriverConnection {
  /** NodePrepareResources. Resolves to the results by claim UID. The driver may get the same claim again, also while it is prepared. */
  prepare(claims: readonly DriverClaim[], signal: AbortSignal): Promise<Map<string, DriverResult>>;
  /** NodeUnprepareResources. Resolves to the results by claim UID. The driver may get claims that are not prepared. */
  unprepare(claims: readonly DriverClaim[], signal: AbortSignal): Promise<Map<string, DriverResult>>;
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
