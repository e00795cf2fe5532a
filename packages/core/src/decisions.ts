/**
 * Pure functions of an agent's core: the resolver configuration of a pod.
 *
 * @packageDocumentation
 */
export { type DnsWarning, type PodDns, type PodDnsInput, podDns } from './pods/pod-dns.js';
export type { DnsConfig } from './pods/resolv-conf.js';
