import type { PodSpec } from '@nodeagent/api';
import type { FieldProblems } from '../field-problem.js';
import { checkIp, checkLabel, checkSubdomain } from './names.js';

const maxNameservers = 3;
const maxSearches = 32;
const longestSearchLine = 2048;
/** Underscores occur in the names of services (RFC 2782); a trailing dot makes a domain absolute. */
const searchDomain = /^[a-z0-9_]([-a-z0-9_]*[a-z0-9_])?(\.[a-z0-9_]([-a-z0-9_]*[a-z0-9_])?)*\.?$/;

/** Names and name resolution of a pod. Source: Kubernetes documentation, "DNS for Services and Pods", "Adding entries to Pod /etc/hosts". */
export function checkNetwork(spec: PodSpec, problems: FieldProblems): void {
  problems.oneOf('spec.dnsPolicy', spec.dnsPolicy, ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']);
  checkDnsConfig(spec, problems);
  if (spec.hostname) checkLabel('spec.hostname', spec.hostname, problems);
  if (spec.subdomain) checkLabel('spec.subdomain', spec.subdomain, problems);
  if (spec.hostnameOverride !== undefined) {
    const field = 'spec.hostnameOverride';
    if (spec.hostnameOverride.length > 64) problems.add(field, 'Too long: may not be more than 64 bytes');
    checkSubdomain(field, spec.hostnameOverride, problems);
    if (spec.hostNetwork) problems.forbidden(field, 'may not be specified when `hostNetwork` is true');
    if (spec.setHostnameAsFQDN) problems.forbidden(field, 'may not be specified when `setHostnameAsFQDN` is true');
  }
  for (const [index, { ip, hostnames = [] }] of (spec.hostAliases ?? []).entries()) {
    const field = `spec.hostAliases[${index}]`;
    checkIp(`${field}.ip`, ip, problems);
    for (const [at, hostname] of hostnames.entries()) checkSubdomain(`${field}.hostnames[${at}]`, hostname, problems);
  }
}

function checkDnsConfig({ dnsPolicy, dnsConfig }: PodSpec, problems: FieldProblems): void {
  const field = 'spec.dnsConfig';
  const { nameservers = [], searches = [], options = [] } = dnsConfig ?? {};
  if (dnsPolicy === 'None' && nameservers.length === 0) {
    problems.required(
      dnsConfig === undefined ? field : `${field}.nameservers`,
      'must provide at least one DNS nameserver when `dnsPolicy` is None',
    );
  }
  if (nameservers.length > maxNameservers)
    problems.invalid(`${field}.nameservers`, nameservers, `must not have more than ${maxNameservers} nameservers`);
  for (const [index, server] of nameservers.entries()) checkIp(`${field}.nameservers[${index}]`, server, problems);
  if (searches.length > maxSearches)
    problems.invalid(`${field}.searches`, searches.length, `must not have more than ${maxSearches} search paths`);
  if (searches.join(' ').length > longestSearchLine) {
    problems.add(
      `${field}.searches`,
      `Too long: must not have more than ${longestSearchLine} characters (including spaces) in the search list`,
    );
  }
  for (const [index, search] of searches.entries()) {
    if (search !== '.' && !searchDomain.test(search)) {
      problems.invalid(`${field}.searches[${index}]`, search, "a search domain has only letters a-z, digits, '-', '_' and '.'");
    }
  }
  for (const [index, { name }] of options.entries()) if (!name) problems.required(`${field}.options[${index}].name`);
}
