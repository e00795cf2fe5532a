import { isIP } from 'node:net';
import type { Taint } from '@nodeagent/api';
import { badUsage, type Flag, type FlagValues, list } from '../flags.js';
import { refuseReservedLabels } from './node-labels.js';
import { settingFlag } from './setting-flag.js';

/** Flags of a cluster member, with the kubelet's names. */
export const clusterFlags: readonly Flag[] = [
  {
    name: 'bootstrap-kubeconfig',
    value: 'FILE',
    defaultText: 'none',
    help: 'kubeconfig for the request of the first client certificate. The agent writes --kubeconfig with that certificate, unless it exists and its certificate is valid.',
  },
  settingFlag(
    'rotate-certificates',
    'certificates.rotateCertificates',
    'whether to request a new client certificate before the current one expires. With --bootstrap-kubeconfig the agent then starts without waiting for the first one.',
    { defaultText: 'off' },
  ),
  settingFlag(
    'rotate-server-certificates',
    'certificates.serverTLSBootstrap',
    'whether to request the certificate of --port from the API server, and a new one before it expires or when the Node gets another address (serverTLSBootstrap). An administrator approves the requests.',
    { defaultText: 'off' },
  ),
  settingFlag('node-ip', 'cluster.settings.nodeIPs', 'address of this node, or one IPv4 and one IPv6 address.', {
    value: 'IP[,IP]',
    defaultText: "what the node's name resolves to",
    read: addresses,
  }),
  settingFlag('register-node', 'cluster.settings.registerNode', 'whether to create the Node object.', { value: 'BOOL' }),
  settingFlag(
    'register-with-taints',
    'cluster.settings.registerWithTaints',
    'taints of the Node at registration: KEY=VALUE:EFFECT[,...].',
    { value: 'TAINTS', defaultText: 'none', read: taints },
  ),
  settingFlag(
    'node-labels',
    ['agent.node.nodeLabels', 'cluster.settings.nodeLabels'],
    'labels of the Node: KEY=VALUE[,...]. In a cluster they are set at registration.',
    { value: 'LABELS', defaultText: 'none', read: labels },
  ),
  settingFlag('provider-id', 'cluster.settings.providerID', 'id of the machine at its cloud provider.', {
    value: 'ID',
    defaultText: 'none',
  }),
  settingFlag('max-pods', ['agent.node.maxPods', 'cluster.settings.maxPods'], 'maximum number of pods on the node.'),
  settingFlag('cluster-dns', 'agent.settings.clusterDNS', 'DNS servers of the cluster, for resolv.conf of pods.', {
    value: 'IP[,IP]',
    defaultText: 'none',
  }),
  settingFlag('cluster-domain', 'agent.settings.clusterDomain', 'domain of the cluster, such as cluster.local.', {
    value: 'DOMAIN',
    defaultText: 'none',
  }),
];

/** Flags that require a cluster. */
const onlyInCluster: readonly string[] = [
  'rotate-certificates',
  'rotate-server-certificates',
  'node-ip',
  'register-with-taints',
  'provider-id',
];

/** Throws `BAD_USAGE` naming a flag that requires `--kubeconfig`. */
export function refuseClusterFlags(given: FlagValues): void {
  const alone = onlyInCluster.find((name) => given[name] !== undefined);
  if (alone !== undefined) throw badUsage(`--${alone}: requires --kubeconfig`);
}

function addresses(values: FlagValues, name: string): string[] {
  const ips = list(values, name);
  const wrong = ips.find((ip) => isIP(ip) === 0);
  if (wrong !== undefined) throw badUsage(`--${name}: "${wrong}" is not an IP address`);
  if (ips.length > 2 || (ips.length === 2 && isIP(ips[0] ?? '') === isIP(ips[1] ?? ''))) {
    throw badUsage(`--${name}: must be one address, or one IPv4 and one IPv6 address, not ${ips.join(' and ')}`);
  }
  return ips;
}

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

function taints(values: FlagValues, name: string): Taint[] {
  return list(values, name).map(taint);
}

function taint(text: string): Taint {
  const [, key, value, effect] = /^([^=:]+)(?:=([^=:]*))?:([A-Za-z]+)$/.exec(text) ?? [];
  if (key === undefined || effect === undefined || !effects.includes(effect)) {
    throw badUsage(`--register-with-taints: "${text}" is not KEY=VALUE:EFFECT with an effect of ${effects.join(', ')}`);
  }
  return { key, ...(value && { value }), effect };
}

function labels(values: FlagValues, name: string): Record<string, string> {
  const all = Object.fromEntries(list(values, name).map(label));
  refuseReservedLabels(all);
  return all;
}

function label(text: string): [string, string] {
  const [, key, value] = /^([^=]+)=(.*)$/.exec(text) ?? [];
  if (key === undefined || value === undefined) throw badUsage(`--node-labels: "${text}" is not KEY=VALUE`);
  return [key, value];
}
