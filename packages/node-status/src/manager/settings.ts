import type { EvictionReserve, ResourceList, Taint } from '@nodeagent/api';
import { completeSettings, type GivenSettings, positive, type SettingTable, wholeNumberFrom } from '@nodeagent/api/helpers';

/** The settings of the Node, with the names and defaults of KubeletConfiguration and of the kubelet's flags; times in milliseconds. */
export const nodeStatusSettings = {
  /** Whether the Node is registered. Default true. */
  registerNode: { default: true, field: 'registerNode' },
  /**
   * Registers the Node again after its deletion while the agent runs. Default false, as in a kubelet: only a restart registers it, and
   * reports fail until then.
   */
  registerDeletedNode: { default: false },
  /** Labels of the Node at registration. Default none. */
  nodeLabels: { default: undefined as Readonly<Record<string, string>> | undefined },
  /** Taints of the Node at registration. Default none. */
  registerWithTaints: { default: undefined as readonly Taint[] | undefined, field: 'registerWithTaints' },
  /** Id of the machine at its cloud provider. Default none. */
  providerID: { default: undefined as string | undefined, field: 'providerID' },
  /** `--cloud-provider=external`. Default false. */
  externalCloudProvider: { default: false },
  /** Whether a controller attaches and detaches volumes. Default true. */
  enableControllerAttachDetach: { default: true, field: 'enableControllerAttachDetach' },
  /** `--node-ip`: one address, or one IPv4 and one IPv6 address. Default: none, the address is detected. */
  nodeIPs: {
    default: [] as readonly string[],
    check: { rule: 'at most two addresses', accepts: (ips) => Array.isArray(ips) && ips.length <= 2 },
  },
  /** Default `v1.36.2`, the kubelet version whose behaviour this is. */
  kubeletVersion: { default: 'v1.36.2' },
  /** Port of the node's HTTP API. Default 10250. */
  port: { default: 10_250, check: { rule: 'a whole number above 0', accepts: wholeNumberFrom(1).accepts } },
  /** Maximum number of pods on the node. Default 110. */
  maxPods: { default: 110, check: wholeNumberFrom(0), field: 'maxPods' },
  /** Maximum number of pods for each CPU. Default 0: not limited by CPUs. */
  podsPerCore: { default: 0, check: wholeNumberFrom(0), field: 'podsPerCore' },
  /** Maximum number of reported images. Default 50; -1 for all. */
  nodeStatusMaxImages: { default: 50, check: wholeNumberFrom(-1), field: 'nodeStatusMaxImages' },
  /** Period in which the node's status is determined. Default 10000. */
  nodeStatusUpdateFrequencyMs: { default: 10_000, unit: 'ms', check: positive, field: 'nodeStatusUpdateFrequency' },
  /** Period of reports of an unchanged status. Default 300000, or the update frequency if only that is set. */
  nodeStatusReportFrequencyMs: {
    default: undefined as number | undefined,
    unit: 'ms',
    check: positive,
    field: 'nodeStatusReportFrequency',
  },
  /** Resources that the system needs. Default none. */
  systemReserved: { default: undefined as ResourceList | undefined, field: 'systemReserved' },
  /** Resources that Kubernetes daemons need. Default none. */
  kubeReserved: { default: undefined as ResourceList | undefined, field: 'kubeReserved' },
  /** Hard eviction thresholds to subtract from allocatable; the last one of a resource counts. Default none. */
  evictionReserves: { default: undefined as readonly EvictionReserve[] | undefined },
  /** Whether local storage counts as a resource. Default true. */
  localStorageCapacityIsolation: { default: true, field: 'localStorageCapacityIsolation' },
  /** Features that the node declares to the scheduler, sorted. Default: those of the option `declaredFeatures`. */
  declaredFeatures: { default: undefined as readonly string[] | undefined },
  /** Timeout of one API call. Default 10000. */
  callTimeoutMs: { default: 10_000, unit: 'ms', check: positive },
} satisfies SettingTable;

/** Settings of {@link nodeStatusSettings}. */
export type NodeStatusSettings = GivenSettings<typeof nodeStatusSettings>;

/** Default of the report frequency; without it, the update frequency counts if that is set. */
const defaultReportFrequencyMs = 300_000;

/** The settings with their defaults; throws `InvalidOption`. */
export function withDefaults(given: NodeStatusSettings = {}) {
  const settings = completeSettings(nodeStatusSettings, given, '');
  const { nodeStatusReportFrequencyMs = given.nodeStatusUpdateFrequencyMs ?? defaultReportFrequencyMs } = settings;
  return { ...settings, nodeStatusReportFrequencyMs };
}

export type CompleteSettings = ReturnType<typeof withDefaults>;
