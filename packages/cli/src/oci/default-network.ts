import type { CniNetwork, NetworkSource } from '@nodeagent/cni';
import { parseNetwork } from '@nodeagent/cni/decisions';

/** The bridge of the default network. */
export const defaultBridge = 'nodeagent0';

/** 254 addresses each; other software, such as Docker, Podman, CRI-O and the defaults of clusters, uses none of them. */
const subnets = ['10.183.0.0/24', '10.191.0.0/24', '172.29.183.0/24', '192.168.183.0/24'];

export interface DefaultNetworkFacts {
  /** The text of /proc/net/route. */
  routes: string;
  /** Whether the machine has iptables. Without it pods reach the machine only, and have no host ports. */
  hasIptables: boolean;
}

/** The network of a machine without a CNI configuration: a bridge, with addresses to which no other interface has a route. */
export function defaultNetwork({ routes, hasIptables }: DefaultNetworkFacts): CniNetwork {
  const ranges = [[{ subnet: freeSubnet(routes) }]];
  const ipam = { type: 'host-local', ranges, routes: [{ dst: '0.0.0.0/0' }] };
  const plugins = [
    { type: 'bridge', bridge: defaultBridge, isGateway: true, ipMasq: hasIptables, hairpinMode: true, ipam },
    ...(hasIptables ? [{ type: 'portmap', capabilities: { portMappings: true } }] : []),
  ];
  const text = JSON.stringify({ cniVersion: '1.0.0', name: 'nodeagent', plugins });
  return parseNetwork({ name: 'nodeagent.conflist', text });
}

/** The networks of a source, or the default one while it has none: a configuration that appears later is used from then on. */
export function withDefaultNetwork(source: NetworkSource, network: CniNetwork): NetworkSource {
  return {
    ...source,
    networks() {
      const configured = source.networks();
      return configured.length > 0 ? configured : [network];
    },
  };
}

function freeSubnet(routes: string): string {
  const taken = routes
    .split('\n')
    .slice(1)
    .map((line) => line.split(/\s+/))
    .filter(([device = '', , , , , , , mask = '']) => device !== '' && device !== defaultBridge && Number.parseInt(mask, 16) !== 0)
    .map(([, destination = '', , , , , , mask = '']) => ({ address: kernelAddress(destination), mask: kernelAddress(mask) }));
  const overlaps = (subnet: string) => {
    const [text = '', bits] = subnet.split('/');
    const address = text.split('.').reduce((value, part) => value * 256 + Number(part), 0);
    const own = (0xffff_ffff << (32 - Number(bits))) >>> 0;
    return taken.some((route) => sameBits(address, route.address, own & route.mask));
  };
  return subnets.find((subnet) => !overlaps(subnet)) ?? (subnets[0] as string);
}

const sameBits = (one: number, other: number, mask: number) => (one & mask) >>> 0 === (other & mask) >>> 0;

/** /proc/net/route has the bytes of addresses in the order of a little-endian processor: the last one first. */
function kernelAddress(hex: string): number {
  const bytes = hex.match(/../g) ?? [];
  return bytes.reduceRight((value, byte) => value * 256 + Number.parseInt(byte, 16), 0);
}
