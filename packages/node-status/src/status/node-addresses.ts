import { errorMessage, type NodeAddress, NodeAgentError } from '@nodeagent/api';
import { canonicalIP, isIP } from '@nodeagent/api/helpers';
import { nodeStatusErrorCodes } from '../errors.js';
import { familyOf, isUnspecified, nodeIPProblem, validateNodeIP } from './node-ip.js';

/** Queries of the machine's network. */
export interface NetworkFacts {
  /** Addresses of all interfaces. */
  interfaceAddresses(): readonly string[];
  /** Resolves a name; rejects if it has no address. */
  lookup(name: string, signal?: AbortSignal): Promise<readonly string[]>;
  /** The address of the interface with the default route, preferably of this family; rejects if there is no such interface. */
  defaultAddress(family: 'ipv4' | 'ipv6', signal?: AbortSignal): Promise<string>;
}

export interface NodeAddressInput {
  nodeName: string;
  hostname: string;
  /** As configured: one address, or one IPv4 and one IPv6 address. `0.0.0.0` and `::` only select the preferred family. Default none. */
  nodeIPs?: readonly string[];
  /** Whether an external cloud provider sets the addresses. Default false. */
  externalCloudProvider?: boolean;
  /** Current addresses of the Node object. */
  existing?: readonly NodeAddress[];
}

/**
 * The node's addresses: the configured ones, else the host name if it is an address, else what the node's name resolves to, else the
 * address of the interface with the default route; IPv4 unless `::` is configured. Addresses that a cloud provider set are kept. Rejects
 * with `InvalidNodeIP` or `NoNodeAddress`. Kubernetes documentation, "Node Status: Addresses".
 */
export async function nodeAddresses(input: NodeAddressInput, network: NetworkFacts, signal?: AbortSignal): Promise<NodeAddress[]> {
  const { hostname, externalCloudProvider = false, existing = [] } = input;
  const configured = configuredNodeIPs(input.nodeIPs);
  const interfaceAddresses = configured.length > 0 ? network.interfaceAddresses() : [];
  for (const [index, address] of configured.entries()) {
    validateNodeIP(index === 0 ? 'nodeIP' : 'secondaryNodeIP', address, interfaceAddresses);
  }
  const hostnameAddress: NodeAddress = { type: 'Hostname', address: hostname };
  if (externalCloudProvider && existing.length > 0) return [...existing];
  if (externalCloudProvider && configured.length === 0) return [hostnameAddress];
  const addresses = configured.length > 0 ? configured : [await findAddress(input, network, signal)];
  return [...addresses.map((address): NodeAddress => ({ type: 'InternalIP', address })), hostnameAddress];
}

/** The configured addresses other than `0.0.0.0` and `::`, in canonical notation. */
export function configuredNodeIPs(nodeIPs: readonly string[] = []): string[] {
  return nodeIPs.filter((address) => !isUnspecified(address)).map((address) => (isIP(address) === 0 ? address : canonicalIP(address)));
}

async function findAddress(
  { nodeName, hostname, nodeIPs }: NodeAddressInput,
  network: NetworkFacts,
  signal?: AbortSignal,
): Promise<string> {
  if (isIP(hostname) !== 0) return canonicalIP(hostname);
  const preferred = familyOf(nodeIPs?.[0] ?? '');
  let cause: unknown;
  try {
    const resolved = chooseResolved(await network.lookup(nodeName, signal), network.interfaceAddresses(), preferred);
    if (resolved !== undefined) return resolved;
  } catch (error) {
    signal?.throwIfAborted();
    cause = error;
  }
  try {
    return canonicalIP(await network.defaultAddress(preferred, signal));
  } catch (error) {
    signal?.throwIfAborted();
    cause = error;
  }
  throw new NodeAgentError(nodeStatusErrorCodes.noNodeAddress, `can't get ip address of node ${nodeName}. error: ${errorMessage(cause)}`, {
    retryable: true,
    cause,
  });
}

/** The first valid address of a name that is of the family, else the first valid one. */
export function chooseResolved(
  resolved: readonly string[],
  interfaceAddresses: readonly string[],
  preferred: 'ipv4' | 'ipv6',
): string | undefined {
  const valid = resolved.filter((address) => nodeIPProblem(address, interfaceAddresses) === undefined).map(canonicalIP);
  return valid.find((address) => familyOf(address) === preferred) ?? valid[0];
}
