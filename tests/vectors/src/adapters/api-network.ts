import { errorMessage, type HostAlias, type Pod } from '@nodeagent/api';
import { podDns } from '@nodeagent/core/decisions';
import { managedHostsFile, podHostnameAndDomain, sandboxHostname } from '@nodeagent/runtime-manager/decisions';
import { type Adapter, defineAdapter } from '../adapter.js';

interface HostsFileCase {
  hostname: string;
  domain: string;
  hostAliases: HostAlias[] | null;
  podIPs: string[];
  hostNetwork?: boolean;
  nodeHosts?: string;
}

/** Recorded in two shapes: with a choice of network the text is one field of the output, without it is the output. */
function hostsFile({ hostNetwork, nodeHosts, ...input }: HostsFileCase) {
  const content = managedHostsFile({ ...input, nodeHosts: hostNetwork ? (nodeHosts ?? '') : undefined });
  return hostNetwork === undefined ? content : { content };
}

interface HostnameCase {
  name: string;
  namespace: string;
  hostname: string;
  hostnameOverride: string | null;
  subdomain: string;
  clusterDomain: string;
}

function podHostname({ name, namespace, clusterDomain, hostnameOverride, ...spec }: HostnameCase) {
  try {
    const fields = { ...spec, hostnameOverride: hostnameOverride ?? undefined };
    return podHostnameAndDomain({ metadata: { name, namespace }, spec: { containers: [], ...fields } }, clusterDomain);
  } catch {
    return { error: true };
  }
}

function fqdnHostname(input: { hostname: string; domain: string; setHostnameAsFQDN: boolean | null }) {
  try {
    return { hostname: sandboxHostname(input.hostname, input.domain, input.setHostnameAsFQDN) };
  } catch (error) {
    return { error: errorMessage(error) };
  }
}

interface PodDnsCase {
  pod: Pod;
  clusterDNS: string[];
  clusterDomain: string;
  resolvConf: string | null;
  nodeIPs: string[];
}

function dns({ pod, clusterDNS, clusterDomain, resolvConf, nodeIPs }: PodDnsCase) {
  try {
    const input = { pod, clusterDns: clusterDNS, clusterDomain, resolvConf: resolvConf ?? undefined, nodeIPs };
    const { servers, searches, options, warnings } = podDns(input);
    const events = warnings.map(({ object, reason, message }) => `${object} Warning ${reason} ${message}`);
    return { servers, searches, options: options.sort(), events };
  } catch {
    return { error: true };
  }
}

export const apiNetworkAdapters: Adapter[] = [
  defineAdapter('hosts-file', hostsFile),
  defineAdapter('pod-hostname', podHostname),
  defineAdapter('fqdn-hostname', fqdnHostname),
  defineAdapter('pod-dns', dns),
];
