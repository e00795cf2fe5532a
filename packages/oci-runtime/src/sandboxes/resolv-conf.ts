import type { DNSConfig } from '@nodeagent/cri-api';

/** The text of a pod's /etc/resolv.conf; undefined without a DNS configuration: then the pod has that of the node. resolv.conf(5). */
export function resolvConf(dns: DNSConfig | undefined): string | undefined {
  const { servers = [], searches = [], options = [] } = dns ?? {};
  if (servers.length + searches.length + options.length === 0) return undefined;
  const lines = [
    ...(searches.length > 0 ? [`search ${searches.join(' ')}`] : []),
    ...servers.map((server) => `nameserver ${server}`),
    ...(options.length > 0 ? [`options ${options.join(' ')}`] : []),
  ];
  return `${lines.join('\n')}\n`;
}
