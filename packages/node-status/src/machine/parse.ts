import { CpuSet, canonicalIP } from '@nodeagent/api/helpers';
import type { HugePages } from './machine-info.js';

/** Bytes of a line of /proc/meminfo, such as `MemTotal`; undefined if the line is missing. proc_meminfo(5). */
export function meminfoBytes(text: string, name: string): bigint | undefined {
  const kib = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1];
  return kib === undefined ? undefined : BigInt(kib) * 1024n;
}

/** Number of online CPUs: by /sys/devices/system/cpu/online, or as listed in /proc/cpuinfo; 0 if both are unknown. */
export function onlineCpus(online: string, cpuinfo: string): number {
  return online.trim() === '' ? (cpuinfo.match(/^processor\s*:/gm)?.length ?? 0) : CpuSet.parse(online.trim()).size;
}

/** Name of the operating system: `PRETTY_NAME` of os-release(5), else `Linux`. */
export function osImage(osRelease: string): string {
  const value = /^PRETTY_NAME=(.*)$/m.exec(osRelease)?.[1]?.trim() ?? '';
  return value.replace(/^(["'])(.*)\1$/, '$2') || 'Linux';
}

/** The page size and `nr_hugepages` of a directory of /sys/kernel/mm/hugepages, `hugepages-2048kB`; undefined for another directory. */
export function hugePagesOf(folder: string, pages: string): HugePages | undefined {
  const kib = /^hugepages-(\d+)kB$/.exec(folder)?.[1];
  return kib !== undefined && /^\d+$/.test(pages.trim()) ? { pageBytes: BigInt(kib) * 1024n, pages: BigInt(pages.trim()) } : undefined;
}

/**
 * The IPv4 addresses of /proc/net/fib_trie: each address of an interface that is up is a host route of type LOCAL, with or without a
 * carrier. The tables contain duplicates.
 */
export function localAddressesV4(fibTrie: string): string[] {
  const found = fibTrie.matchAll(/^\s*\|-- (\S+)\n(?:\s+\/\d+ .*\n)*?\s+\/32 host LOCAL$/gm);
  return [...new Set(Array.from(found, ([, address = '']) => address))];
}

/** The IPv6 addresses of /proc/net/if_inet6. */
export function localAddressesV6(ifInet6: string): string[] {
  const found = ifInet6.matchAll(/^([\da-f]{32}) /gm);
  return Array.from(found, ([, digits = '']) => canonicalIP((digits.match(/.{4}/g) ?? []).join(':')));
}

/** Interfaces with an IPv4 default route over a gateway, in the order of /proc/net/route. */
export function defaultInterfacesV4(table: string): string[] {
  const usesGateway = 0x2;
  return rows(table).flatMap(([name = '', destination, , flags = '']) =>
    destination === '00000000' && (Number.parseInt(flags, 16) & usesGateway) !== 0 ? [name] : [],
  );
}

/** Interfaces with an IPv6 default route over a gateway, in the order of /proc/net/ipv6_route. */
export function defaultInterfacesV6(table: string): string[] {
  const zero = '0'.repeat(32);
  return rows(table).flatMap(([destination, length, , , gateway, , , , , name = '']) =>
    destination === zero && length === '00' && gateway !== zero ? [name] : [],
  );
}

function rows(table: string): string[][] {
  return table.split('\n').map((line) => line.trim().split(/\s+/));
}
