import { reportedPodIPs } from '@nodeagent/api/helpers';

/** The address fields of a pod's status. */
export function podAddresses(
  podIps: readonly string[],
  hostIps: readonly string[],
  hostNetwork: boolean,
): { hostIP?: string; hostIPs?: { ip: string }[]; podIP?: string; podIPs?: { ip: string }[] } {
  const [primary] = hostIps;
  const ips = reportedPodIPs(podIps, hostIps, hostNetwork);
  const asObjects = (list: readonly string[]) => list.map((ip) => ({ ip }));
  return {
    ...(primary !== undefined && { hostIP: primary, hostIPs: asObjects(hostIps.slice(0, 2)) }),
    ...(ips[0] !== undefined && { podIP: ips[0], podIPs: asObjects(ips) }),
  };
}
