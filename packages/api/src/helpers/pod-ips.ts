import { isIPv4, isIPv6 } from 'node:net';

/**
 * A pod's addresses as its status and its containers' environment report them: {@link orderPodIPs} of what the runtime reports. A pod on
 * the host's network has none of its own and reports those of the node. `hostIPs` has the node's primary address first.
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
 * A pod's addresses, reduced to the first of each IP family: that of the node's primary address first.
 * Kubernetes documentation, "IPv4/IPv6 dual-stack". What is no address is left out.
 */
export function orderPodIPs(podIPs: readonly string[], primaryNodeIP: string | undefined): string[] {
  const v4 = podIPs.find((address) => isIPv4(address));
  const v6 = podIPs.find((address) => isIPv6(address));
  const families = primaryNodeIP !== undefined && isIPv6(primaryNodeIP) ? [v6, v4] : [v4, v6];
  return families.filter((address) => address !== undefined);
}
