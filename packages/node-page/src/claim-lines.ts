import { podUid } from '@nodeagent/api/helpers';
import { podName, unhealthyText } from './device-lines.js';
import type { PageClaimDevice, PageDynamicResources, PagePod } from './options.js';

/** A ResourceClaim of a pod on the page. */
export interface ClaimLine {
  /** Its name, in the namespace of the pod. */
  claim: string;
  pod: string;
  /** Whether its drivers have prepared it; absent if it is not known. */
  isPrepared?: boolean;
  /** Its prepared devices: `gpu-0 of pool node-1 (gpu.example.com), unhealthy: too hot`. */
  devices: string[];
  /** A driver reports one of its devices as unhealthy. */
  isUnhealthy?: true;
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
      const prepared = Object.entries(known?.drivers ?? {});
      const devices = prepared.flatMap(([driver, each]) => each.map((device) => deviceText(driver, device)));
      const isUnhealthy = prepared.some(([, each]) => each.some(({ health }) => health === 'Unhealthy'));
      // After a restart of the agent, the devices come from its checkpoint.
      const isPrepared = known?.isPrepared === true || devices.length > 0;
      return {
        claim,
        pod: podName(uid, pods),
        ...(resources && !hasEnded && { isPrepared }),
        devices,
        ...(isUnhealthy && { isUnhealthy }),
      };
    });
  });
}

/** The DRA drivers of the node. A driver is connected if one of its instances is. */
export function driverLines({ drivers }: PageDynamicResources): DriverLine[] {
  const names = [...new Set(drivers.map(({ driver }) => driver))];
  return names.map((name) => ({ driver: name, isConnected: drivers.some(({ driver, isConnected }) => driver === name && isConnected) }));
}

/** What is wrong with the drivers and the devices of claims; undefined: nothing. */
export function dynamicResourcesProblem(resources: PageDynamicResources): string | undefined {
  const away = driverLines(resources).filter(({ isConnected }) => !isConnected);
  const unhealthy = new Map<string, Set<string>>();
  for (const [driver, devices] of resources.claims.flatMap(({ drivers }) => Object.entries(drivers))) {
    const names = devices.filter(({ health }) => health === 'Unhealthy').map(({ deviceName }) => deviceName);
    unhealthy.set(driver, new Set([...(unhealthy.get(driver) ?? []), ...names]));
  }
  const problems = [
    ...(away.length === 0 ? [] : [`${away.map(({ driver }) => driver).join(', ')} not connected`]),
    ...[...unhealthy].flatMap(([driver, names]) => unhealthyText([...names], driver) ?? []),
  ];
  return problems.length === 0 ? undefined : problems.join('; ');
}

const deviceText = (driver: string, { poolName, deviceName, health, message }: PageClaimDevice): string =>
  `${deviceName} of pool ${poolName} (${driver})${health === 'Unhealthy' ? `, unhealthy${message ? `: ${message}` : ''}` : ''}`;

/** The names of a pod's claims, without those that have not been created from their template. */
function claimNames({ pod, status }: Pick<PagePod, 'pod' | 'status'>): string[] {
  return (pod.spec?.resourceClaims ?? []).flatMap(({ name, resourceClaimName }) => {
    const created = status.resourceClaimStatuses?.find((each) => each.name === name);
    return resourceClaimName ?? created?.resourceClaimName ?? [];
  });
}
