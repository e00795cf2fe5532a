import { isIP } from 'node:net';
import type { Taint } from '@nodeagent/api';
import { badUsage, type Flag, type FlagValues, list, oneOf, text } from '../flags.js';

/** The flags of a node that belongs to a cluster, with the kubelet's names. */
export const clusterFlags: readonly Flag[] = [
  {
    name: 'node-ip',
    value: 'IP[,IP]',
    defaultText: "what the node's name resolves to",
    help: 'address of this node, or one of each family.',
  },
  { name: 'register-node', value: 'BOOL', default: 'true', help: 'whether to create the Node object.' },
  {
    name: 'register-with-taints',
    value: 'TAINTS',
    defaultText: 'none',
    help: 'taints that the node is created with: KEY=VALUE:EFFECT, several between commas.',
  },
  {
    name: 'node-labels',
    value: 'LABELS',
    defaultText: 'none',
    help: 'labels of the node, for node selectors: KEY=VALUE, several between commas. A cluster gets them when the node is created.',
  },
  { name: 'provider-id', value: 'ID', defaultText: 'none', help: "the machine's id at its cloud provider." },
  { name: 'max-pods', value: 'COUNT', default: '110', help: 'pods that the node has room for.' },
  { name: 'cluster-dns', value: 'IP[,IP]', defaultText: 'none', help: "DNS servers of the cluster, for pods' resolvers." },
  { name: 'cluster-domain', value: 'DOMAIN', defaultText: 'none', help: 'domain of the cluster, such as cluster.local.' },
];

/** What pods find on the node, with and without a cluster. */
export interface NodeRunOptions {
  nodeLabels: Record<string, string>;
  maxPods: number;
}

/** How to join a cluster. */
export interface ClusterRunOptions extends NodeRunOptions {
  kubeconfig: string;
  registerNode: boolean;
  nodeIPs: string[];
  registerWithTaints: Taint[];
  providerID?: string;
}

/** Flags that mean nothing without a cluster. */
export const onlyInCluster: readonly string[] = ['node-ip', 'register-with-taints', 'provider-id'];

/** Reads and checks the flags that hold with and without a cluster. Throws `BAD_USAGE` naming the flag. */
export function readNodeOptions(values: FlagValues): NodeRunOptions {
  const maxPods = Number(text(values, 'max-pods'));
  if (!Number.isSafeInteger(maxPods) || maxPods < 0) throw badUsage(`--max-pods: "${text(values, 'max-pods')}" is not a count`);
  return { nodeLabels: Object.fromEntries(list(values, 'node-labels').map(label)), maxPods };
}

/** Reads and checks the flags; undefined without `--kubeconfig`. Throws `BAD_USAGE` naming the flag. */
export function readClusterOptions(values: FlagValues): ClusterRunOptions | undefined {
  if (values.kubeconfig === undefined) {
    const alone = onlyInCluster.find((name) => values[name] !== undefined);
    if (alone !== undefined) throw badUsage(`--${alone}: needs --kubeconfig`);
    return undefined;
  }
  const nodeIPs = list(values, 'node-ip');
  const wrongIP = nodeIPs.find((ip) => isIP(ip) === 0);
  if (wrongIP !== undefined) throw badUsage(`--node-ip: "${wrongIP}" is not an IP address`);
  if (nodeIPs.length > 2 || (nodeIPs.length === 2 && isIP(nodeIPs[0] ?? '') === isIP(nodeIPs[1] ?? ''))) {
    throw badUsage(`--node-ip: one address, or one of each family, not ${nodeIPs.join(' and ')}`);
  }
  return {
    ...readNodeOptions(values),
    kubeconfig: text(values, 'kubeconfig'),
    registerNode: oneOf(values, 'register-node', ['true', 'false']) === 'true',
    nodeIPs,
    registerWithTaints: list(values, 'register-with-taints').map(taint),
    ...(values['provider-id'] !== undefined && { providerID: text(values, 'provider-id') }),
  };
}

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

function taint(text: string): Taint {
  const [, key, value, effect] = /^([^=:]+)(?:=([^=:]*))?:([A-Za-z]+)$/.exec(text) ?? [];
  if (key === undefined || effect === undefined || !effects.includes(effect)) {
    throw badUsage(`--register-with-taints: "${text}" is not KEY=VALUE:EFFECT with an effect of ${effects.join(', ')}`);
  }
  return { key, ...(value && { value }), effect };
}

function label(text: string): [string, string] {
  const [, key, value] = /^([^=]+)=(.*)$/.exec(text) ?? [];
  if (key === undefined || value === undefined) throw badUsage(`--node-labels: "${text}" is not KEY=VALUE`);
  return [key, value];
}
