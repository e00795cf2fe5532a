import type { PodSandboxConfig } from '@nodeagent/cri-api';
import { hasUserNamespace, type UserMappings, userMappings, usesHostNetwork } from './namespaces.js';
import type { OciNamespaceType } from './oci-spec.js';
import { type PodSysctl, podSysctls } from './sysctls.js';

/** What a sandbox consists of without a pause process. */
export interface PodNamespaces {
  /** The namespaces to make and to pin by bind mounts, the user namespace first: it owns the others. */
  pinned: readonly OciNamespaceType[];
  /** Whether the containers share a process namespace, which ends with its first process: that of `infraSpec`. */
  sharesProcesses: boolean;
  /** The host name of the pod. */
  hostname: string;
  /** The kernel parameters to write once the namespaces exist. */
  sysctls: readonly PodSysctl[];
  /** The mappings of the user namespace. */
  mappings?: UserMappings;
}

/** In the network of a pod, every port and ICMP echo need no privileges, as in that of containerd 2. */
const networkDefaults = { 'net.ipv4.ip_unprivileged_port_start': '0' };
const pingDefaults = { 'net.ipv4.ping_group_range': '0 2147483647' };

/**
 * The namespaces of a sandbox. In the network of the node it has the host name of the node.
 *
 * @param nodeHostname - the host name of the machine
 * @throws NodeAgentError CRI_INVALID_ARGUMENT for a kernel parameter that would change the node
 */
export function podNamespaces({ hostname = '', linux = {} }: PodSandboxConfig, nodeHostname: string): PodNamespaces {
  const options = linux.securityContext?.namespaceOptions ?? {};
  const mappings = userMappings(options);
  const isOnHostNetwork = usesHostNetwork(options);
  const pinned: OciNamespaceType[] = [
    ...(hasUserNamespace(options) ? (['user'] as const) : []),
    ...(isOnHostNetwork ? [] : (['network', 'uts'] as const)),
    ...(options.ipc === 'NODE' ? [] : (['ipc'] as const)),
  ];
  // The groups of a user namespace do not reach as far as the default of the parameter.
  const defaults = isOnHostNetwork ? {} : { ...networkDefaults, ...(mappings === undefined && pingDefaults) };
  return {
    pinned,
    sharesProcesses: (options.pid ?? 'POD') === 'POD',
    hostname: isOnHostNetwork ? nodeHostname : hostname,
    sysctls: podSysctls({ ...defaults, ...linux.sysctls }, pinned),
    ...(mappings && { mappings }),
  };
}
