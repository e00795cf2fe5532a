import { isIPv4, isIPv6 } from './ip-address.js';

/**
 * A pod's IP addresses as its status and its containers' environment report them: the runtime's addresses, ordered by {@link orderPodIPs},
 * or the node's addresses for a pod on the host network. `hostIPs` starts with the node's primary address.
 */
export function reportedPodIPs(podIPs: readonly string[], hostIPs: readonly string[], hostNetwork: boolean): string[] {
  const [primary, secondary] = hostIPs;
  const ips = orderPodIPs(podIPs, primary);
  if (!hostNetwork || primary === undefined) return ips;
  if (ips.length === 0) ips.push(primary);
  if (ips.length === 1 && secondary !== undefined && ips[0] !== secondary) ips.push(secondary);
  return ips;
}

/**
 * The first address of each IP family, starting with the family of the node's primary address. Omits invalid addresses. Kubernetes
 * documentation, "IPv4/IPv6 dual-stack".
 */
export function orderPodIPs(podIPs: readonly string[], primaryNodeIP: string | undefined): string[] {
  const v4 = podIPs.find((address) => isIPv4(address));
  const v6 = podIPs.find((address) => isIPv6(address));
  const families = primaryNodeIP !== undefined && isIPv6(primaryNodeIP) ? [v6, v4] : [v4, v6];
  return families.filter((address) => address !== undefined);
}
