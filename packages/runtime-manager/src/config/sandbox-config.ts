import type { Pod } from '@nodeagent/api';
import type { DNSConfig, PodSandboxConfig, PortMapping, Protocol, UserNamespace } from '@nodeagent/cri-api';
import { podHostnameAndDomain, sandboxHostname } from './hostname.js';
import { podIdentity, sandboxLabels } from './labels.js';
import { type LinuxResourceSettings, linuxOverheadResources, linuxPodResources } from './linux-resources.js';
import { podLogsDirectory } from './log-paths.js';
import { sandboxSecurityContext } from './security-context.js';

export interface SandboxConfigInputs {
  attempt: number;
  podLogsDir: string;
  dns: DNSConfig;
  /** '' for none. */
  clusterDomain: string;
  /** '' for the runtime's default. */
  cgroupParent: string;
  resources: LinuxResourceSettings;
  extraGroups: readonly number[];
  userNamespace: UserNamespace;
}

/** The CRI configuration of a pod's sandbox. Throws if the pod's hostname is invalid. */
export function generateSandboxConfig(pod: Pod, inputs: SandboxConfigInputs): PodSandboxConfig {
  const identity = podIdentity(pod);
  const { hostNetwork, setHostnameAsFQDN, securityContext } = pod.spec ?? {};
  const { hostname, domain } = podHostnameAndDomain(pod, inputs.clusterDomain);
  const mappings = portMappings(pod);
  return {
    metadata: { ...identity, attempt: inputs.attempt },
    ...(!hostNetwork && { hostname: sandboxHostname(hostname, domain, setHostnameAsFQDN) }),
    logDirectory: podLogsDirectory(inputs.podLogsDir, identity),
    dnsConfig: inputs.dns,
    ...(mappings.length > 0 && { portMappings: mappings }),
    labels: sandboxLabels(pod),
    annotations: { ...pod.metadata?.annotations },
    linux: {
      cgroupParent: inputs.cgroupParent,
      securityContext: sandboxSecurityContext(pod, inputs),
      sysctls: Object.fromEntries((securityContext?.sysctls ?? []).map(({ name, value }) => [name.replaceAll('/', '.'), value])),
      overhead: linuxOverheadResources(pod, inputs.resources),
      resources: linuxPodResources(pod, inputs.resources),
    },
  };
}

/** The ports of the regular containers. The runtime forwards those with a host port. */
function portMappings(pod: Pod): PortMapping[] {
  return (pod.spec?.containers ?? []).flatMap(({ ports = [] }) =>
    ports.map(({ containerPort, hostPort = 0, hostIP = '', protocol }) => ({
      protocol: toProtocol(protocol),
      containerPort,
      hostPort,
      hostIp: hostIP,
    })),
  );
}

function toProtocol(protocol: string | undefined): Protocol {
  return protocol === 'UDP' || protocol === 'SCTP' ? protocol : 'TCP';
}
