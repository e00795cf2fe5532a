import { type ClaimInfo, devicesFor } from './claim-info.js';

/** The devices that a container has from one claim: an element of `dynamic_resources` in the pod-resources API. */
export interface ClaimDevices {
  claimName: string;
  claimNamespace: string;
  claimResources: {
    cdiDevices: { name: string }[];
    driverName: string;
    poolName: string;
    deviceName: string;
    /** Empty without a share. */
    shareId: string;
  }[];
}

/** The devices of a claim that satisfy one of a container's requests, for the pod-resources API. */
export function dynamicResourceOf(info: ClaimInfo, requests: readonly string[]): ClaimDevices {
  return {
    claimName: info.claimName,
    claimNamespace: info.namespace,
    claimResources: devicesFor(info, requests).map(({ driver, device }) => ({
      cdiDevices: device.cdiDeviceIDs.map((name) => ({ name })),
      driverName: driver,
      poolName: device.poolName,
      deviceName: device.deviceName,
      shareId: device.shareID ?? '',
    })),
  };
}
