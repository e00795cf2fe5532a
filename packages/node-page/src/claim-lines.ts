import { podUid } from '@nodeagent/api/helpers';
import { podName } from './device-lines.js';
import type { PageDynamicResources, PagePod } from './options.js';

/** A ResourceClaim of a pod on the page. */
export interface ClaimLine {
  /** Its name, in the namespace of the pod. */
  claim: string;
  pod: string;
  /** Whether its drivers have prepared it; absent if it is not known. */
  isPrepared?: boolean;
  /** Its prepared devices: `gpu-0 of pool node-1 (gpu.example.com)`. */
  devices: string[];
}

/** A DRA driver on the page. */
export interface DriverLine {
  driver: string;
  isConnected: boolean;
}

/** The claims of the pods, also those that no driver has seen. Those of a pod that has ended are unprepared, which is no state to report. */
export function claimLines(pods: readonly PagePod[], resources: PageDynamicResources | undefined): ClaimLine[] {
  return pods.flatMap((view) => {
    const uid = podUid(view.pod);
    const { namespace } = view.pod.metadata ?? {};
    const hasEnded = view.status.phase === 'Succeeded' || view.status.phase === 'Failed';
    return claimNames(view).map((claim) => {
      const known = resources?.claims.find(
        (each) => each.claimName === claim && each.namespace === namespace && each.podUIDs.includes(uid),
      );
      const devices = Object.entries(known?.drivers ?? {}).flatMap(([driver, prepared]) =>
        prepared.map(({ poolName, deviceName }) => `${deviceName} of pool ${poolName} (${driver})`),
      );
      // After a restart of the agent, the devices come from its checkpoint.
      const isPrepared = known?.isPrepared === true || devices.length > 0;
      return { claim, pod: podName(uid, pods), ...(resources && !hasEnded && { isPrepared }), devices };
    });
  });
}

/** The DRA drivers of the node. A driver is connected if one of its instances is. */
export function driverLines({ drivers }: PageDynamicResources): DriverLine[] {
  const names = [...new Set(drivers.map(({ driver }) => driver))];
  return names.map((name) => ({ driver: name, isConnected: drivers.some(({ driver, isConnected }) => driver === name && isConnected) }));
}

/** The names of a pod's claims, without those that have not been created from their template. */
function claimNames({ pod, status }: Pick<PagePod, 'pod' | 'status'>): string[] {
  return (pod.spec?.resourceClaims ?? []).flatMap(({ name, resourceClaimName }) => {
    const created = status.resourceClaimStatuses?.find((each) => each.name === name);
    return resourceClaimName ?? created?.resourceClaimName ?? [];
  });
}
