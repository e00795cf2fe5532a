import { isIPv4 } from '@nodeagent/api/helpers';
import type { CniIP, CniResult, CniRoute } from '../types.js';
import { type CniVersion, isSince } from '../versions.js';

/** The address of a CIDR notation. */
export const addressOf = (cidr: string): string => cidr.split('/', 1)[0] ?? '';

/**
 * A result in the format of a version, as JSON. Older versions lack members: before 1.1.0 `mtu`, `socketPath` and `pciID` of interfaces and all of
 * routes but `dst` and `gw`; before 0.3.0 interfaces, and all but the first address of each family. CNI specification, "Appendix: Result types".
 */
export function resultJson(result: CniResult, cniVersion: CniVersion): Record<string, unknown> {
  const { ips = [], routes = [], dns } = result;
  if (!isSince(cniVersion, '0.3.0')) {
    return { cniVersion, ...familyOf('ip4', ips, routes), ...familyOf('ip6', ips, routes), ...(dns && { dns }) };
  }
  const isNew = isSince(cniVersion, '1.1.0');
  const interfaces = result.interfaces?.map(({ name, mac, sandbox, ...added }) => ({
    name,
    ...(mac !== undefined && { mac }),
    ...(sandbox !== undefined && { sandbox }),
    ...(isNew && added),
  }));
  return {
    cniVersion,
    ...(interfaces && { interfaces }),
    ...(result.ips && { ips: isSince(cniVersion, '1.0.0') ? ips : ips.map((ip) => ({ version: isV4(ip.address) ? '4' : '6', ...ip })) }),
    ...(result.routes && { routes: isNew ? routes : routes.map(oldRoute) }),
    // Plugins written in Go read a missing `dns` as an empty one; some others require it before 1.1.0.
    dns: dns ?? {},
  };
}

const isV4 = (cidr: string) => isIPv4(addressOf(cidr));
const oldRoute = ({ dst, gw }: CniRoute) => ({ dst, ...(gw !== undefined && { gw }) });

function familyOf(family: 'ip4' | 'ip6', ips: readonly CniIP[], routes: readonly CniRoute[]): object {
  const isOfFamily = (cidr: string) => isV4(cidr) === (family === 'ip4');
  const ip = ips.find(({ address }) => isOfFamily(address));
  if (ip === undefined) return {};
  const own = routes.filter(({ dst }) => isOfFamily(dst)).map(oldRoute);
  const gateway = ip.gateway === undefined ? {} : { gateway: ip.gateway };
  return { [family]: { ip: ip.address, ...gateway, ...(own.length > 0 && { routes: own }) } };
}
