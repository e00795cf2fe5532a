import { lookup } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { NodeAgentError } from '@nodeagent/api';
import { nodeStatusErrorCodes } from '../errors.js';
import type { NetworkFacts } from '../status/node-addresses.js';
import { familyOf, nodeIPProblem } from '../status/node-ip.js';
import { defaultInterfacesV4, defaultInterfacesV6 } from './parse.js';

export interface NetworkReaderOptions {
  /** The folder with `proc`. Default `/`. */
  root?: string;
  /** Default those of the machine. */
  interfaces?: () => Readonly<Record<string, readonly Pick<NetworkInterfaceInfo, 'address'>[] | undefined>>;
  /** Default the system's resolver. */
  resolve?: (name: string) => Promise<readonly string[]>;
}

/** Looks at the machine's interfaces, routes and resolver. */
export function createNetworkReader(options: NetworkReaderOptions = {}): NetworkFacts {
  const { root = '/', interfaces = networkInterfaces, resolve = resolveBySystem } = options;
  const addressesOf = (name: string) => (interfaces()[name] ?? []).map(({ address }) => address);
  const interfaceAddresses = () => Object.keys(interfaces()).flatMap(addressesOf);

  async function defaultInterfaces(family: 'ipv4' | 'ipv6'): Promise<string[]> {
    const file = family === 'ipv4' ? 'proc/net/route' : 'proc/net/ipv6_route';
    const table = await readFile(join(root, file), 'utf8').catch(() => '');
    return family === 'ipv4' ? defaultInterfacesV4(table) : defaultInterfacesV6(table);
  }

  return {
    interfaceAddresses,
    lookup: resolve,
    async defaultAddress(preferred) {
      for (const family of preferred === 'ipv4' ? (['ipv4', 'ipv6'] as const) : (['ipv6', 'ipv4'] as const)) {
        const candidates = (await defaultInterfaces(family)).flatMap(addressesOf).filter((address) => familyOf(address) === family);
        const usable = candidates.find((address) => nodeIPProblem(address, candidates) === undefined);
        if (usable !== undefined) return usable;
      }
      throw new NodeAgentError(nodeStatusErrorCodes.noNodeAddress, 'no interface with a default route has a usable address', {
        retryable: true,
      });
    },
  };
}

async function resolveBySystem(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}
