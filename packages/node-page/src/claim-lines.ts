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

/** The claims of the pods, also those that no driver has seen. */
export function claimLines(pods: readonly PagePod[], resources: PageDynamicResources | undefined): ClaimLine[] {
  return pods.flatMap(({ pod, status }) => {
    const uid = podUid(pod);
    const { namespace } = pod.metadata ?? {};
    return claimNames({ pod, status }).map((claim) => {
      const known = resources?.claims.find(
        (each) => each.claimName === claim && each.namespace === namespace && each.podUIDs.includes(uid),
      );
      return {
        claim,
        pod: podName(uid, pods),
        ...(resources && { isPrepared: known?.isPrepared ?? false }),
        devices: Object.entries(known?.drivers ?? {}).flatMap(([driver, devices]) =>
          devices.map(({ poolName, deviceName }) => `${deviceName} of pool ${poolName} (${driver})`),
        ),
      };
    });
  });
}

/** The names of a pod's claims, without those that have not been created from their template. */
function claimNames({ pod, status }: Pick<PagePod, 'pod' | 'status'>): string[] {
  return (pod.spec?.resourceClaims ?? []).flatMap(({ name, resourceClaimName }) => {
    const created = status.resourceClaimStatuses?.find((each) => each.name === name);
    return resourceClaimName ?? created?.resourceClaimName ?? [];
  });
}
