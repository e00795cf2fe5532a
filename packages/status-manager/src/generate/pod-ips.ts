import { orderPodIPs } from '@nodeagent/api';

/** The addresses in a status: the pod's own, and those of a host-network pod, which are the node's; what is set stays. */
export function podAddresses(
  podIps: readonly string[],
  hostIps: readonly string[],
  hostNetwork: boolean,
): { hostIP?: string; hostIPs?: { ip: string }[]; podIP?: string; podIPs?: { ip: string }[] } {
  const [primary, secondary] = hostIps;
  const ips = orderPodIPs(podIps, primary);
  if (hostNetwork && primary !== undefined) {
    if (ips.length === 0) ips.push(primary);
    if (ips.length === 1 && secondary !== undefined && ips[0] !== secondary) ips.push(secondary);
  }
  const asObjects = (list: readonly string[]) => list.map((ip) => ({ ip }));
  return {
    ...(primary !== undefined && { hostIP: primary, hostIPs: asObjects(hostIps.slice(0, 2)) }),
    ...(ips[0] !== undefined && { podIP: ips[0], podIPs: asObjects(ips) }),
  };
}
