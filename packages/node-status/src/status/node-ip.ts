import { NodeAgentError } from '@nodeagent/api';
import { canonicalIP, isInSubnet, isIP, isIPv6 } from '@nodeagent/api/helpers';
import { nodeStatusErrorCodes } from '../errors.js';

/** Kinds of addresses that are no node IPs, with their subnets: network and length. */
const kinds: readonly (readonly [text: string, ...subnets: (readonly [network: string, bits: number])[]])[] = [
  ["nodeIP can't be loopback address", ['127.0.0.0', 8], ['::1', 128]],
  ["nodeIP can't be a multicast address", ['224.0.0.0', 4], ['ff00::', 8]],
  ["nodeIP can't be a link-local unicast address", ['169.254.0.0', 16], ['fe80::', 10]],
  ["nodeIP can't be an all zeros address", ['0.0.0.0', 32], ['::', 128]],
];

/**
 * Why the address is not a valid node IP; undefined if it is. It must be reachable from other hosts, and an address of the machine.
 * Kubernetes documentation, kubelet reference, `--node-ip`.
 */
export function nodeIPProblem(address: string, interfaceAddresses: readonly string[]): string | undefined {
  if (isIP(address) === 0) return 'nodeIP must be a valid IP address';
  for (const [text, ...subnets] of kinds) if (subnets.some(([network, bits]) => isInSubnet(address, network, bits))) return text;
  const canonical = canonicalIP(address);
  if (interfaceAddresses.some((own) => isIP(own) !== 0 && canonicalIP(own) === canonical)) return undefined;
  return `node IP: "${canonical}" not found in the host's network interfaces`;
}

/** Throws `InvalidNodeIP` for an invalid node IP. */
export function validateNodeIP(field: string, address: string, interfaceAddresses: readonly string[]): void {
  const problem = nodeIPProblem(address, interfaceAddresses);
  if (problem === undefined) return;
  throw new NodeAgentError(nodeStatusErrorCodes.invalidNodeIP, `failed to validate ${field}: ${problem}`, { details: { address } });
}

/** Whether the address only selects the family: `0.0.0.0` or `::`. */
export function isUnspecified(address: string): boolean {
  return isIP(address) !== 0 && ['0.0.0.0', '::'].includes(canonicalIP(address));
}

export function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}
