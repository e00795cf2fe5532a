import type { Pod, PodDNSConfig } from '@nodeagent/api';
import { formatPod, quoteText } from '@nodeagent/api/helpers';
import { type DnsConfig, parseResolvConf } from './resolv-conf.js';

/** Limits of the resolver libraries in containers. */
const maxServers = 3;
const maxSearches = 32;
const maxSearchCharacters = 2048;
/** Longest DNS subdomain. */
const maxSubdomain = 253;

/** Inputs of a pod's resolver configuration. */
export interface PodDnsInput {
  pod: Pod;
  /** Addresses of the cluster's DNS servers, KubeletConfiguration `clusterDNS`. */
  clusterDns: readonly string[];
  /** KubeletConfiguration `clusterDomain`; '' for none. */
  clusterDomain: string;
  /** Content of the file that KubeletConfiguration `resolvConf` names; undefined if it names none. */
  resolvConf: string | undefined;
  /** The node's addresses, which determine the IP families in use. */
  nodeIPs: readonly string[];
}

/** A Warning event to record. */
export interface DnsWarning {
  object: 'Node' | 'Pod';
  reason: 'MissingClusterDNS' | 'DNSConfigForming';
  message: string;
}

export interface PodDns extends DnsConfig {
  warnings: DnsWarning[];
}

/**
 * A pod's resolver configuration from its `dnsPolicy` and `dnsConfig`, truncated to the limits of resolvers. Throws `InvalidResolvConf`.
 * Kubernetes documentation, "DNS for Services and Pods".
 */
export function podDns(input: PodDnsInput): PodDns {
  const { pod, clusterDns, clusterDomain, resolvConf } = input;
  const host = parseResolvConf(resolvConf ?? '');
  const warnings: DnsWarning[] = [];
  const source = dnsSource(pod);
  let dns: DnsConfig;
  if (source === 'none') {
    dns = { servers: [], searches: [], options: [] };
  } else if (source === 'cluster' && clusterDns.length > 0) {
    dns = { servers: [...clusterDns], searches: clusterSearches(pod, clusterDomain, host.searches), options: ['ndots:5'] };
  } else {
    if (source === 'cluster') warnings.push(...missingClusterDns(pod));
    dns = resolvConf === undefined ? { ...host, servers: loopback(input.nodeIPs), searches: ['.'] } : host;
  }
  return { ...fitLimits(appendConfig(dns, pod.spec?.dnsConfig), warnings), warnings };
}

function dnsSource({ spec }: Pod): 'none' | 'host' | 'cluster' {
  switch (spec?.dnsPolicy) {
    case 'None':
      return 'none';
    case 'Default':
      return 'host';
    case 'ClusterFirst':
      return spec.hostNetwork ? 'host' : 'cluster';
    default:
      return 'cluster';
  }
}

function clusterSearches(pod: Pod, domain: string, hostSearches: readonly string[]): string[] {
  const own = domain === '' ? [] : [`${pod.metadata?.namespace ?? ''}.svc.${domain}`, `svc.${domain}`, domain];
  return Array.from(new Set([...own, ...hostSearches]));
}

function missingClusterDns(pod: Pod): DnsWarning[] {
  const message =
    'kubelet does not have ClusterDNS IP configured and cannot create Pod using "ClusterFirst" policy. Falling back to "Default" policy.';
  return [
    { object: 'Node', reason: 'MissingClusterDNS', message },
    { object: 'Pod', reason: 'MissingClusterDNS', message: `pod: ${quoteText(formatPod(pod))}. ${message}` },
  ];
}

/** The loopback address of each IP family that the node uses. */
function loopback(nodeIPs: readonly string[]): string[] {
  if (nodeIPs.length === 0) return ['127.0.0.1'];
  return nodeIPs.map((address) => (address.includes(':') ? '::1' : '127.0.0.1'));
}

function appendConfig(dns: DnsConfig, config: PodDNSConfig | null | undefined): DnsConfig {
  if (!config) return dns;
  const options = new Map(dns.options.map((option) => [option.split(':', 1)[0] ?? option, option]));
  for (const { name = '', value } of config.options ?? []) options.set(name, value ? `${name}:${value}` : name);
  return {
    servers: Array.from(new Set([...dns.servers, ...(config.nameservers ?? [])])),
    searches: Array.from(new Set([...dns.searches, ...(config.searches ?? [])])),
    options: Array.from(options.values()),
  };
}

function fitLimits({ servers, searches, options }: DnsConfig, warnings: DnsWarning[]): DnsConfig {
  const keptServers = servers.slice(0, maxServers);
  if (keptServers.length < servers.length) {
    warnings.push(
      exceeded(
        `Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: ${keptServers.join(' ')}`,
      ),
    );
  }
  const keptSearches = fitSearches(searches);
  if (keptSearches.length < searches.length) {
    warnings.push(
      exceeded(
        `Search Line limits were exceeded, some search paths have been omitted, the applied search line is: ${keptSearches.join(' ')}`,
      ),
    );
  }
  return { servers: keptServers, searches: keptSearches, options };
}

const exceeded = (message: string): DnsWarning => ({ object: 'Pod', reason: 'DNSConfigForming', message });

/** The leading search domains within the limits, without domains that are too long. */
function fitSearches(searches: readonly string[]): string[] {
  const kept = searches.slice(0, maxSearches).filter((domain) => domain.length <= maxSubdomain);
  while (kept.join(' ').length > maxSearchCharacters) kept.pop();
  return kept;
}
