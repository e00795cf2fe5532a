import { isIP } from 'node:net';
import type { Taint } from '@nodeagent/api';
import type { AgentConfiguration } from '@nodeagent/core';
import { badUsage, bool, type Flag, type FlagValues, list, setting, text } from '../flags.js';
import { refuseReservedLabels } from './node-labels.js';

/** Flags of a cluster member, with the kubelet's names. */
export const clusterFlags: readonly Flag[] = [
  {
    name: 'bootstrap-kubeconfig',
    value: 'FILE',
    defaultText: 'none',
    help: 'kubeconfig for the request of the first client certificate. The agent writes --kubeconfig with that certificate, unless it exists and its certificate is valid.',
  },
  {
    name: 'rotate-certificates',
    defaultText: 'off',
    help: 'whether to request a new client certificate before the current one expires. With --bootstrap-kubeconfig the agent then starts without waiting for the first one.',
  },
  {
    name: 'rotate-server-certificates',
    defaultText: 'off',
    help: 'whether to request the certificate of --port from the API server, and a new one before it expires or when the Node gets another address (serverTLSBootstrap). An administrator approves the requests.',
  },
  {
    name: 'node-ip',
    value: 'IP[,IP]',
    defaultText: "what the node's name resolves to",
    help: 'address of this node, or one IPv4 and one IPv6 address.',
  },
  { name: 'register-node', value: 'BOOL', default: 'true', help: 'whether to create the Node object.' },
  {
    name: 'register-with-taints',
    value: 'TAINTS',
    defaultText: 'none',
    help: 'taints of the Node at registration: KEY=VALUE:EFFECT[,...].',
  },
  {
    name: 'node-labels',
    value: 'LABELS',
    defaultText: 'none',
    help: 'labels of the Node: KEY=VALUE[,...]. In a cluster they are set at registration.',
  },
  { name: 'provider-id', value: 'ID', defaultText: 'none', help: 'id of the machine at its cloud provider.' },
  { name: 'max-pods', value: 'COUNT', default: '110', help: 'maximum number of pods on the node.' },
  { name: 'cluster-dns', value: 'IP[,IP]', defaultText: 'none', help: 'DNS servers of the cluster, for resolv.conf of pods.' },
  { name: 'cluster-domain', value: 'DOMAIN', defaultText: 'none', help: 'domain of the cluster, such as cluster.local.' },
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

/** Reads the node flags. Throws `BAD_USAGE` naming the flag. */
export function readNodeConfiguration(values: FlagValues): Pick<AgentConfiguration, 'agent' | 'cluster' | 'certificates'> {
  const { 'rotate-certificates': rotateCertificates, 'rotate-server-certificates': serverTLSBootstrap } = values;
  const node = {
    ...setting(values, 'node-labels', 'nodeLabels', labels),
    ...setting(values, 'max-pods', 'maxPods', count),
  };
  return {
    certificates: {
      ...(typeof rotateCertificates === 'boolean' && { rotateCertificates }),
      ...(typeof serverTLSBootstrap === 'boolean' && { serverTLSBootstrap }),
    },
    agent: {
      node,
      settings: {
        ...setting(values, 'cluster-dns', 'clusterDNS', list),
        ...setting(values, 'cluster-domain', 'clusterDomain', text),
      },
    },
    cluster: {
      settings: {
        ...node,
        ...setting(values, 'register-node', 'registerNode', bool),
        ...setting(values, 'node-ip', 'nodeIPs', addresses),
        ...setting(values, 'register-with-taints', 'registerWithTaints', taints),
        ...setting(values, 'provider-id', 'providerID', text),
      },
    },
  };
}

function count(values: FlagValues, name: string): number {
  const number = Number(text(values, name));
  if (!Number.isSafeInteger(number) || number < 0) throw badUsage(`--${name}: "${text(values, name)}" is not a whole number of 0 or more`);
  return number;
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

const taints = (values: FlagValues, name: string): Taint[] => list(values, name).map(taint);

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
