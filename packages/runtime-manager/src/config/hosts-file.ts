import type { Container, HostAlias, Pod } from '@nodeagent/api';

/** Inputs of a pod's `/etc/hosts`. */
export interface HostsFileInput {
  /** The pod's addresses, primary first. */
  podIPs: readonly string[];
  hostname: string;
  /** '' for none. */
  domain: string;
  hostAliases?: readonly HostAlias[] | null;
  /** Content of the node's own file, for a pod on the host network. */
  nodeHosts?: string;
}

const header = '# Kubernetes-managed hosts file.\n';
const hostNetworkHeader = '# Kubernetes-managed hosts file (host network).\n';
const localEntries = [
  '127.0.0.1\tlocalhost',
  '::1\tlocalhost ip6-localhost ip6-loopback',
  'fe00::0\tip6-localnet',
  'fe00::0\tip6-mcastprefix',
  'fe00::1\tip6-allnodes',
  'fe00::2\tip6-allrouters',
];

/**
 * The content of a pod's `/etc/hosts`; with `nodeHosts` that of a pod on the host network.
 * Kubernetes documentation, "Adding entries to Pod /etc/hosts with HostAliases".
 */
export function managedHostsFile({ podIPs, hostname, domain, hostAliases, nodeHosts }: HostsFileInput): string {
  const aliases = aliasEntries(hostAliases ?? []);
  if (nodeHosts !== undefined) return hostNetworkHeader + nodeHosts + aliases;
  const names = domain === '' ? hostname : `${hostname}.${domain}\t${hostname}`;
  const lines = [...localEntries, ...podIPs.map((address) => `${address}\t${names}`)];
  return header + lines.map((line) => `${line}\n`).join('') + aliases;
}

function aliasEntries(aliases: readonly HostAlias[]): string {
  if (aliases.length === 0) return '';
  const lines = aliases.map(({ ip = '', hostnames }) => `${ip}\t${(hostnames ?? []).join('\t')}\n`);
  return `\n# Entries added by HostAliases.\n${lines.join('')}`;
}

/** Whether the agent provides a container's `/etc/hosts`: the pod has an address or uses the node's, and the container mounts none itself. */
export function managesHostsFile(pod: Pod, container: Container, podIPs: readonly string[]): boolean {
  const mounted = container.volumeMounts?.some((mount) => mount.mountPath === '/etc/hosts') ?? false;
  return !mounted && (podIPs.length > 0 || (pod.spec?.hostNetwork ?? false));
}
