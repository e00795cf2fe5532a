import type { ResourceClaim } from '@nodeagent/api';

/** A device that a driver prepared. */
export interface PreparedDevice {
  poolName: string;
  deviceName: string;
  /** Identifies one share of a device that several claims use. */
  shareID?: string;
  /** Names of the requests of the claim that the device satisfies; empty for all. */
  requestNames: readonly string[];
  cdiDeviceIDs: readonly string[];
}

/** A claim that a pod of the node uses, as the manager caches it. */
export interface ClaimInfo {
  claimUID: string;
  claimName: string;
  namespace: string;
  /** The pods that use the claim. */
  podUIDs: ReadonlySet<string>;
  /** Prepared devices by driver. A driver of the allocation without prepared devices has an empty list. */
  drivers: Readonly<Record<string, readonly PreparedDevice[]>>;
}

/** A claim as drivers identify it. */
export interface DriverClaim {
  namespace: string;
  uid: string;
  name: string;
}

/** The key of a claim in the cache. */
export const claimKey = (namespace: string | undefined, claimName: string) => `${namespace ?? ''}/${claimName}`;

/** The cache entry of an allocated claim, without pods and devices. Throws an Error if it is not allocated. */
export function claimInfoOf({ metadata, status }: ResourceClaim): ClaimInfo {
  const { name = '', namespace = '', uid = '' } = metadata ?? {};
  if (status?.allocation === undefined) throw new Error(`ResourceClaim ${name} is not allocated`);
  const drivers = Object.fromEntries((status.allocation.devices?.results ?? []).map(({ driver }) => [driver, []]));
  return { claimUID: uid, claimName: name, namespace, podUIDs: new Set(), drivers };
}

/** The claims of each driver, for one call per driver. */
export function claimsByDriver(infos: readonly ClaimInfo[]): Map<string, DriverClaim[]> {
  const batches = new Map<string, DriverClaim[]>();
  for (const { namespace, claimUID, claimName, drivers } of infos) {
    for (const driver of Object.keys(drivers)) {
      const batch = batches.get(driver) ?? [];
      batches.set(driver, batch);
      batch.push({ namespace, uid: claimUID, name: claimName });
    }
  }
  return batches;
}

/**
 * Whether the device satisfies the request of a container; all devices do if it is empty. Drivers may name a subrequest as
 * `<request>/<subrequest>`.
 */
export function satisfiesRequest({ requestNames }: PreparedDevice, request: string): boolean {
  return request === '' || requestNames.length === 0 || requestNames.some((name) => name.split('/')[0] === request);
}

/** The devices of a claim that satisfy one of the requests, each once. */
export function devicesFor({ drivers }: ClaimInfo, requests: readonly string[]): { driver: string; device: PreparedDevice }[] {
  return Object.entries(drivers).flatMap(([driver, devices]) =>
    devices.filter((device) => requests.some((request) => satisfiesRequest(device, request))).map((device) => ({ driver, device })),
  );
}

/** The CDI ids of the devices of a claim that satisfy one of the requests, in order and without duplicates. */
export function cdiDeviceIds(info: ClaimInfo, requests: readonly string[]): string[] {
  return [...new Set(devicesFor(info, requests).flatMap(({ device }) => device.cdiDeviceIDs))];
}
