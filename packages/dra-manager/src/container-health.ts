import type { Container, Pod, ResourceStatus } from '@nodeagent/api';
import { type ClaimInfo, devicesFor } from './claim-info.js';
import { type DeviceHealth, type DeviceHealthStatus, deviceKey } from './device-health.js';

/** The health of a device of a driver. */
export type HealthOf = (driver: string, poolName: string, deviceName: string) => { health: DeviceHealthStatus; message: string };

/**
 * The health of the devices that a container has by its claims: elements of `allocatedResourcesStatus`, named `claim:<name>` or
 * `claim:<name>/<request>` (KEP-4680). Leaves out claims that are not prepared and that have no devices.
 * @param claimOf - the claim by the name of its ResourceClaim, in the namespace of the pod
 */
export function containerHealth(
  pod: Pod,
  { resources }: Container,
  claimOf: (claimName: string) => ClaimInfo | undefined,
  healthOf: HealthOf,
): ResourceStatus[] {
  return (resources?.claims ?? []).flatMap(({ name, request = '' }) => {
    const claimName = claimNameOf(pod, name);
    const info = claimName === undefined ? undefined : claimOf(claimName);
    if (info === undefined) return [];
    const health = new Map<string, NonNullable<ResourceStatus['resources']>[number]>();
    const [baseRequest = ''] = request.split('/');
    for (const { driver, device } of devicesFor(info, [baseRequest])) {
      const { poolName, deviceName, cdiDeviceIDs } = device;
      const resourceID = cdiDeviceIDs[0] ?? `${driver}/${poolName}/${deviceName}`;
      const { message, ...known } = healthOf(driver, poolName, deviceName);
      if (!health.has(resourceID)) health.set(resourceID, { resourceID, ...known, ...(message !== '' && { message }) });
    }
    return health.size === 0 ? [] : [{ name: `claim:${name}${request === '' ? '' : `/${request}`}`, resources: [...health.values()] }];
  });
}

/** The UIDs of the pods whose claims have one of these devices of the driver. */
export function podsWithDevices(
  claims: readonly ClaimInfo[],
  driver: string,
  devices: readonly Pick<DeviceHealth, 'poolName' | 'deviceName'>[],
): string[] {
  const keys = new Set(devices.map(({ poolName, deviceName }) => deviceKey(poolName, deviceName)));
  const hasOne = ({ drivers }: ClaimInfo) => drivers[driver]?.some(({ poolName, deviceName }) => keys.has(deviceKey(poolName, deviceName)));
  return [...new Set(claims.filter(hasOne).flatMap(({ podUIDs }) => [...podUIDs]))];
}

/** The name of the ResourceClaim of a claim of the pod; undefined until it is created. */
function claimNameOf({ spec, status }: Pod, name: string): string | undefined {
  const created = status?.resourceClaimStatuses?.find((each) => each.name === name)?.resourceClaimName;
  return created ?? spec?.resourceClaims?.find((each) => each.name === name)?.resourceClaimName;
}
