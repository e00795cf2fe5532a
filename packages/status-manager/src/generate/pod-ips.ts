export type IpFamily = 4 | 6;

export function ipFamily(ip: string): IpFamily {
  return ip.includes(':') ? 6 : 4;
}

/** At most one address of each family, the node's primary family first: Kubernetes documentation, "IPv4/IPv6 dual-stack". */
export function sortPodIps(ips: readonly string[], primary: IpFamily): string[] {
  const first = ips.find((ip) => ipFamily(ip) === primary);
  const second = ips.find((ip) => ipFamily(ip) !== primary);
  return [first, second].filter((ip) => ip !== undefined);
}

/** The addresses in a status: the pod's own, and those of a host-network pod, which are the node's; what is set stays. */
export function podAddresses(
  podIps: readonly string[],
  hostIps: readonly string[],
  hostNetwork: boolean,
): { hostIP?: string; hostIPs?: { ip: string }[]; podIP?: string; podIPs?: { ip: string }[] } {
  const [primary, secondary] = hostIps;
  const ips = sortPodIps(podIps, primary === undefined ? 4 : ipFamily(primary));
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
