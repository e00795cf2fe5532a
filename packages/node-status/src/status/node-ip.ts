import { BlockList, isIP, isIPv6, SocketAddress } from 'node:net';
import { NodeAgentError } from '@nodeagent/api';
import { nodeStatusErrorCodes } from '../errors.js';

const kinds: readonly (readonly [text: string, members: BlockList])[] = [
  ["nodeIP can't be loopback address", subnets(['127.0.0.0', 8], ['::1', 128])],
  ["nodeIP can't be a multicast address", subnets(['224.0.0.0', 4], ['ff00::', 8])],
  ["nodeIP can't be a link-local unicast address", subnets(['169.254.0.0', 16], ['fe80::', 10])],
  ["nodeIP can't be an all zeros address", subnets(['0.0.0.0', 32], ['::', 128])],
];

/**
 * Why the address is not a valid node IP; undefined if it is. It must be reachable from other hosts, and an address of the machine.
 * Kubernetes documentation, kubelet reference, `--node-ip`.
 */
export function nodeIPProblem(address: string, interfaceAddresses: readonly string[]): string | undefined {
  if (isIP(address) === 0) return 'nodeIP must be a valid IP address';
  const family = familyOf(address);
  for (const [text, members] of kinds) if (members.check(address, family)) return text;
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

/** The address in canonical notation. */
export function canonicalIP(address: string): string {
  return new SocketAddress({ address, family: familyOf(address) }).address;
}

export function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}

function subnets(v4: readonly [string, number], v6: readonly [string, number]): BlockList {
  const list = new BlockList();
  list.addSubnet(v4[0], v4[1], 'ipv4');
  list.addSubnet(v6[0], v6[1], 'ipv6');
  return list;
}
