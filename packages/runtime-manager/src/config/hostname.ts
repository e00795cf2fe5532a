import { NodeAgentError, type Pod } from '@nodeagent/api';
import { dnsLabelProblems, dnsSubdomainProblems, quoteText } from '@nodeagent/api/helpers';
import { runtimeManagerErrorCodes } from '../errors.js';

/** The longest hostname of a pod without a domain. */
const maxHostname = 63;
/** The longest hostname that the Linux kernel accepts. */
const maxKernelHostname = 64;

function invalid(field: string, value: string, rule: string, problems: string[]): NodeAgentError {
  return new NodeAgentError(
    runtimeManagerErrorCodes.invalidHostname,
    `pod ${field} ${quoteText(value)} is not a valid DNS ${rule}: ${problems.join('; ')}`,
    { details: { field, value } },
  );
}

/**
 * A pod's hostname and domain: `hostnameOverride` (KEP-4762), else `hostname`, else the pod's name; the domain of a pod with a `subdomain`
 * is `<subdomain>.<namespace>.svc.<cluster domain>`. Throws `InvalidHostname`.
 * Kubernetes documentation, "DNS for Services and Pods: Pod's hostname and subdomain fields".
 */
export function podHostnameAndDomain(pod: Pod, clusterDomain: string): { hostname: string; domain: string } {
  const { hostname, hostnameOverride, subdomain } = pod.spec ?? {};
  if (hostnameOverride !== undefined && hostnameOverride !== null) {
    const problems = dnsSubdomainProblems(hostnameOverride);
    if (problems.length > 0) throw invalid('hostnameOverride', hostnameOverride, 'subdomain', problems);
    return { hostname: truncateHostname(hostnameOverride), domain: '' };
  }
  if (hostname) {
    const problems = dnsLabelProblems(hostname);
    if (problems.length > 0) throw invalid('hostname', hostname, 'label', problems);
  }
  if (subdomain) {
    const problems = dnsLabelProblems(subdomain);
    if (problems.length > 0) throw invalid('subdomain', subdomain, 'label', problems);
  }
  return {
    hostname: truncateHostname(hostname || (pod.metadata?.name ?? '')),
    domain: subdomain ? `${subdomain}.${pod.metadata?.namespace ?? ''}.svc.${clusterDomain}` : '',
  };
}

function truncateHostname(hostname: string): string {
  return hostname.length <= maxHostname ? hostname : hostname.slice(0, maxHostname).replace(/[-.]+$/, '');
}

/** The hostname of the pod's sandbox: with `setHostnameAsFQDN` the full name. Throws `InvalidHostname` if that is too long. */
export function sandboxHostname(hostname: string, domain: string, setHostnameAsFQDN: boolean | null | undefined): string {
  if (!setHostnameAsFQDN || domain === '') return hostname;
  const value = `${hostname}.${domain}`;
  if (value.length <= maxKernelHostname) return value;
  throw new NodeAgentError(
    runtimeManagerErrorCodes.invalidHostname,
    `failed to construct FQDN from pod hostname and cluster domain, FQDN ${value} is too long (${maxKernelHostname} characters is the max, ${value.length} characters requested)`,
    { details: { field: 'hostname', value } },
  );
}
