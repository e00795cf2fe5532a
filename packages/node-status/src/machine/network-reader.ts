import { lookup } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { NodeAgentError } from '@nodeagent/api';
import { nodeStatusErrorCodes } from '../errors.js';
import type { NetworkFacts } from '../status/node-addresses.js';
import { familyOf, nodeIPProblem } from '../status/node-ip.js';
import { defaultInterfacesV4, defaultInterfacesV6, localAddressesV4, localAddressesV6 } from './parse.js';

export interface NetworkReaderOptions {
  /** The directory with `proc`. Default `/`. */
  root?: string;
  /** Default: the machine's. */
  interfaces?: () => Readonly<Record<string, readonly { readonly address: string }[] | undefined>>;
  /** Default: the system's resolver. */
  resolve?: (name: string) => Promise<readonly string[]>;
}

/**
 * Reads the machine's addresses, routes and resolver. Addresses come from the kernel's tables: `os.networkInterfaces()` omits interfaces
 * without a carrier, and is expensive on a node with hundreds of pods. Only the interface of an IPv4 address is missing in the tables, so
 * `interfaces` is called when the default route or the addresses changed.
 */
export function createNetworkReader(options: NetworkReaderOptions = {}): NetworkFacts {
  const { root = '/', interfaces = networkInterfaces, resolve = resolveBySystem } = options;
  const lastFound = new Map<'ipv4' | 'ipv6', { state: string; address: string }>();

  function interfaceAddresses(): string[] {
    const [fibTrie, ifInet6] = [readTable('fib_trie'), readTable('if_inet6')];
    // A system without /proc.
    if (fibTrie === undefined && ifInet6 === undefined) return Object.values(interfaces()).flatMap(addressesOf);
    return [...localAddressesV4(fibTrie ?? ''), ...localAddressesV6(ifInet6 ?? '')];
  }

  /** Synchronous, because the kernel answers from memory. */
  function readTable(name: string): string | undefined {
    try {
      return readFileSync(join(root, 'proc/net', name), 'utf8');
    } catch {
      return undefined;
    }
  }

  async function defaultInterfaces(family: 'ipv4' | 'ipv6'): Promise<string[]> {
    const file = family === 'ipv4' ? 'proc/net/route' : 'proc/net/ipv6_route';
    const table = await readFile(join(root, file), 'utf8').catch(() => '');
    return family === 'ipv4' ? defaultInterfacesV4(table) : defaultInterfacesV6(table);
  }

  async function defaultAddressOf(family: 'ipv4' | 'ipv6'): Promise<string | undefined> {
    const names = await defaultInterfaces(family);
    if (names.length === 0) return undefined;
    const own = interfaceAddresses().filter((address) => familyOf(address) === family);
    // Link-local addresses change with the interfaces of pods.
    const state = [...names, ...own.filter((address) => nodeIPProblem(address, own) === undefined)].join(' ');
    const last = lastFound.get(family);
    if (last?.state === state) return last.address;
    const found = interfaces();
    const candidates = names.flatMap((name) => addressesOf(found[name])).filter((address) => familyOf(address) === family);
    const address = candidates.find((candidate) => nodeIPProblem(candidate, candidates) === undefined);
    if (address !== undefined) lastFound.set(family, { state, address });
    return address;
  }

  return {
    interfaceAddresses,
    lookup: resolve,
    async defaultAddress(preferred) {
      for (const family of preferred === 'ipv4' ? (['ipv4', 'ipv6'] as const) : (['ipv6', 'ipv4'] as const)) {
        const usable = await defaultAddressOf(family);
        if (usable !== undefined) return usable;
      }
      throw new NodeAgentError(nodeStatusErrorCodes.noNodeAddress, 'no interface with a default route has a usable address', {
        retryable: true,
      });
    },
  };
}

function addressesOf(info: readonly { readonly address: string }[] | undefined): string[] {
  return (info ?? []).map(({ address }) => address);
}

async function resolveBySystem(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}
