import { isIPv4, isIPv6 } from 'node:net';

/**
 * A pod's addresses as its status and environment report them: the first of each IP family, that of the node's primary address first.
 * Kubernetes documentation, "IPv4/IPv6 dual-stack". What is no address is left out.
 */
export function orderPodIPs(podIPs: readonly string[], primaryNodeIP: string | undefined): string[] {
  const v4 = podIPs.find((address) => isIPv4(address));
  const v6 = podIPs.find((address) => isIPv6(address));
  const families = primaryNodeIP !== undefined && isIPv6(primaryNodeIP) ? [v6, v4] : [v4, v6];
  return families.filter((address) => address !== undefined);
}
