import { NodeAgentError, type PodIdentity } from '@nodeagent/api';
import { Quantity } from '@nodeagent/api/helpers';
import { cniErrorCodes } from '../errors.js';
import type { CapabilityArgs, CniAttachment, CniBandwidth } from '../types.js';

/** `CNI_ARGS` as container runtimes pass them. `IgnoreUnknown` lets plugins ignore the others. */
export function podArgs(containerId: string, { namespace, name, uid }: PodIdentity): NonNullable<CniAttachment['args']> {
  return [
    ['IgnoreUnknown', '1'],
    ['K8S_POD_NAMESPACE', namespace],
    ['K8S_POD_NAME', name],
    ['K8S_POD_INFRA_CONTAINER_ID', containerId],
    ['K8S_POD_UID', uid],
  ];
}

/** What a pod's sandbox requests of its network: fields of CRI's PodSandboxConfig. */
export interface PodNetworkConfig {
  annotations?: Readonly<Record<string, string>> | undefined;
  portMappings?: readonly { protocol?: 'TCP' | 'UDP' | 'SCTP'; containerPort: number; hostPort?: number; hostIp?: string }[] | undefined;
  dnsConfig?: { servers?: readonly string[]; searches?: readonly string[]; options?: readonly string[] } | undefined;
  /** Further names of the pod in the network. */
  aliases?: readonly string[] | undefined;
  cgroupPath?: string | undefined;
}

/** The values for the capabilities of plugins. Throws `InvalidQuantity` or `InvalidAttachment` for a bandwidth that is out of range. */
export function podCapabilities({
  annotations = {},
  portMappings = [],
  dnsConfig,
  aliases = [],
  cgroupPath,
}: PodNetworkConfig): CapabilityArgs {
  const ports = portMappings.flatMap(({ protocol = 'TCP', containerPort, hostPort = 0, hostIp }) => {
    const mapping = { hostPort, containerPort, protocol: protocol.toLowerCase() as 'tcp' | 'udp' | 'sctp' };
    return hostPort > 0 ? [hostIp ? { ...mapping, hostIP: hostIp } : mapping] : [];
  });
  const bandwidth = podBandwidth(annotations);
  return {
    ...(ports.length > 0 && { portMappings: ports }),
    ...(bandwidth && { bandwidth }),
    ...(dnsConfig && { dns: dnsOf(dnsConfig) }),
    ...(aliases.length > 0 && { aliases: [...aliases] }),
    ...(cgroupPath && { cgroupPath }),
  };
}

const dnsOf = ({ servers = [], searches = [], options = [] }: NonNullable<PodNetworkConfig['dnsConfig']>) => ({
  servers: [...servers],
  searches: [...searches],
  options: [...options],
});

/** Bursts are as large as the plugin accepts, which only limits how far a rate is exceeded for a short time. */
const maxBurst = 2 ** 31 - 1;
const [minRate, maxRate] = [Quantity.parse('1k'), Quantity.parse('1P')];

/** The bandwidth of the annotations `kubernetes.io/ingress-bandwidth` and `kubernetes.io/egress-bandwidth`; undefined without them. */
export function podBandwidth(annotations: Readonly<Record<string, string>>): CniBandwidth | undefined {
  const rates = (['ingress', 'egress'] as const).flatMap((direction): CniBandwidth[] => {
    const name = `kubernetes.io/${direction}-bandwidth`;
    const text = annotations[name];
    if (text === undefined) return [];
    const rate = Quantity.parse(text);
    if (rate.cmp(minRate) < 0 || rate.cmp(maxRate) > 0) throw invalidBandwidth(name, text);
    const value = Number(rate.value());
    return [direction === 'ingress' ? { ingressRate: value, ingressBurst: maxBurst } : { egressRate: value, egressBurst: maxBurst }];
  });
  return rates.length === 0 ? undefined : Object.assign({}, ...rates);
}

function invalidBandwidth(field: string, value: string): NodeAgentError {
  const message = `annotation ${field} must be between 1k and 1P bits a second, got ${JSON.stringify(value)}`;
  return new NodeAgentError(cniErrorCodes.invalidAttachment, message, { details: { field, value } });
}
