import type { NodeAddress } from '@nodeagent/api';
import { canonicalIP } from './canonical-ip.js';

/** What a certificate must contain. */
export interface CertificateTemplate {
  commonName: string;
  organizations: readonly string[];
  dnsNames: readonly string[];
  /** In canonical notation. */
  ips: readonly string[];
}

/** The client certificate of a node: the user `system:node:<name>` of the group `system:nodes`. */
export function clientTemplate(nodeName: string): CertificateTemplate {
  return { commonName: `system:node:${nodeName}`, organizations: ['system:nodes'], dnsNames: [], ips: [] };
}

/**
 * The serving certificate of a node: the subject of its client certificate, and the names and IP addresses that the Node reports. Undefined
 * without an IP address: clients of the node connect to one. Kubernetes documentation, "TLS bootstrapping", "Certificate rotation".
 */
export function servingTemplate(nodeName: string, addresses: readonly NodeAddress[]): CertificateTemplate | undefined {
  const dnsNames = new Set<string>();
  const ips = new Set<string>();
  for (const { type, address } of addresses) {
    if (address === '') continue;
    const ip = type.endsWith('DNS') ? undefined : canonicalIP(address);
    if (ip !== undefined) ips.add(ip);
    else if (!type.endsWith('IP')) dnsNames.add(address);
  }
  if (ips.size === 0) return undefined;
  return { ...clientTemplate(nodeName), dnsNames: [...dnsNames].sort(), ips: [...ips].sort() };
}

/** Whether two templates request the same certificate. */
export function isSameTemplate(a: CertificateTemplate, b: CertificateTemplate): boolean {
  const textOf = ({ commonName, organizations, dnsNames, ips }: CertificateTemplate) =>
    JSON.stringify([commonName, organizations, dnsNames, ips]);
  return textOf(a) === textOf(b);
}
