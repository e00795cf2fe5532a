import type { CniResult } from '../types.js';
import { addressOf } from './result-json.js';

/**
 * The IP addresses of a pod, in their order: those of the interface `ifName` in the pod's network namespace, and those without an interface. Each
 * once.
 */
export function podIPsOf({ ips = [], interfaces = [] }: CniResult, ifName = 'eth0'): string[] {
  const own = ips.filter(({ interface: index }) => {
    if (index === undefined) return true;
    const found = interfaces[index];
    return found?.name === ifName && found.sandbox !== undefined;
  });
  return [...new Set(own.map(({ address }) => addressOf(address)))];
}
