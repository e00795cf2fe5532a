import { invalidOption } from '@nodeagent/api';

/** The addresses of Services: Kubernetes documentation, "Service ClusterIP allocation". */
export interface ServiceRange {
  /** Number of addresses, with those of the network and of broadcasts. */
  size: number;
  address(index: number): string;
}

/** The range of a CIDR for IPv4, such as `10.96.0.0/16`. Throws `InvalidOption`. */
export function serviceRange(cidr: string): ServiceRange {
  const [, network = '', prefix = ''] = /^(\d+\.\d+\.\d+\.\d+)\/(\d+)$/.exec(cidr) ?? [];
  const octets = network.split('.').map(Number);
  const isValid = octets.length === 4 && octets.every((octet) => octet < 256) && Number(prefix) >= 8 && Number(prefix) <= 30;
  if (!isValid) throw invalidOption('serviceClusterIPRange', 'a CIDR for IPv4 with a prefix of 8 to 30 bits', cidr);
  const size = 2 ** (32 - Number(prefix));
  const first = octets.reduce((sum, octet) => sum * 256 + octet, 0);
  const base = first - (first % size);
  return { size, address: (index) => [24, 16, 8, 0].map((shift) => ((base + index) >>> shift) & 255).join('.') };
}
