import {
  choiceOf,
  type GivenSettings,
  pickSettings,
  positive,
  type Setting,
  type SettingCheck,
  type SettingTable,
  wholeNumberFrom,
} from '@nodeagent/api/helpers';
import type { CpuManagerPolicyOptions, PolicyOptionGates } from '@nodeagent/cpu-manager';
import { evictionSettings } from '@nodeagent/eviction';
import { imageManagerSettings } from '@nodeagent/image-manager';
import type { MemoryManagerPolicy, MemoryReservation } from '@nodeagent/memory-manager';
import { shutdownSettings } from '@nodeagent/node-shutdown';
import { nodeLeaseSettings, nodeStatusSettings } from '@nodeagent/node-status/decisions';
import { manifestSourceSettings } from '@nodeagent/pod-sources';
import { runtimeManagerSettings } from '@nodeagent/runtime-manager';
import { authenticationSettings, authorizationSettings, nodeServerSettings } from '@nodeagent/server/settings';
import type { TopologyManagerPolicy, TopologyManagerPolicyOptions, TopologyManagerScope } from '@nodeagent/topology-manager';
import { nodeAgentSettings } from './settings.js';

/** The names of a type's members, of which none may be missing. */
const keysOf = <T>(names: Readonly<Record<keyof T, true>>) => Object.keys(names);

/**
 * CPUs, memory and devices for single containers, with NUMA locality. Names, values and defaults are those of KubeletConfiguration. Only
 * managers that are on are loaded, and these have the defaults.
 */
const resourceManagerSettings = {
  /** `static`: containers of Guaranteed pods that request whole CPUs get exclusive ones. Needs `settings.cgroupsPerQOS`. Default `none`. */
  cpuManagerPolicy: {
    ...choiceOf('none', 'static'),
    default: undefined as 'none' | 'static' | undefined,
    field: 'cpuManagerPolicy',
  },
  /** Default none. */
  cpuManagerPolicyOptions: {
    default: undefined as CpuManagerPolicyOptions | undefined,
    keys: keysOf<CpuManagerPolicyOptions>({
      'full-pcpus-only': true,
      'distribute-cpus-across-numa': true,
      'align-by-socket': true,
      'distribute-cpus-across-cores': true,
      'strict-cpu-reservation': true,
      'prefer-align-cpus-by-uncorecache': true,
    }),
    field: 'cpuManagerPolicyOptions',
  },
  /** Period in milliseconds in which running containers lose CPUs that other containers got. Default 10000. */
  cpuManagerReconcilePeriodMs: {
    default: undefined as number | undefined,
    unit: 'ms',
    check: positive,
    field: 'cpuManagerReconcilePeriod',
  },
  /** The CPUs that the static policy reserves, such as `0-1`, as many as are reserved. Default: chosen by topology. */
  reservedSystemCPUs: { default: undefined as string | undefined, field: 'reservedSystemCPUs' },
  /** `Static`: containers of Guaranteed pods get memory of chosen NUMA nodes. Needs `reservedMemory`. Default `None`. */
  memoryManagerPolicy: {
    ...choiceOf('None', 'Static'),
    default: undefined as MemoryManagerPolicy | undefined,
    field: 'memoryManagerPolicy',
  },
  /** What is reserved on each NUMA node; together all that is reserved of the node. Default none. */
  reservedMemory: { default: undefined as readonly MemoryReservation[] | undefined, field: 'reservedMemory' },
  /** Which NUMA locality a pod must have to be admitted. Default `none`. */
  topologyManagerPolicy: {
    ...choiceOf('none', 'best-effort', 'restricted', 'single-numa-node'),
    default: undefined as TopologyManagerPolicy | undefined,
    field: 'topologyManagerPolicy',
  },
  /** Whether the resources of a container or of a pod are aligned. Default `container`. */
  topologyManagerScope: {
    ...choiceOf('container', 'pod'),
    default: undefined as TopologyManagerScope | undefined,
    field: 'topologyManagerScope',
  },
  /** Default none. */
  topologyManagerPolicyOptions: {
    default: undefined as TopologyManagerPolicyOptions | undefined,
    keys: keysOf<TopologyManagerPolicyOptions>({ 'prefer-closest-numa-nodes': true, 'max-allowable-numa-nodes': true }),
    field: 'topologyManagerPolicyOptions',
  },
  /** Gates of `cpuManagerPolicyOptions`. Default: the kubelet's. */
  featureGates: {
    default: undefined as PolicyOptionGates | undefined,
    keys: keysOf<PolicyOptionGates>({ CPUManagerPolicyAlphaOptions: true, CPUManagerPolicyBetaOptions: true }),
  },
} satisfies SettingTable;

/**
 * CPUs, memory and devices for single containers, with NUMA locality. Names, values and defaults are those of KubeletConfiguration. Only
 * managers that are on are loaded.
 */
export interface AgentResourceManagers extends GivenSettings<typeof resourceManagerSettings> {}

const allowedUnsafeSysctls = { default: [] as readonly string[], field: 'allowedUnsafeSysctls' };

const nodeSettings = {
  /** Value of the label `kubernetes.io/hostname`. Default: the node's name. */
  hostname: { default: undefined as string | undefined },
  /** Kernel settings that pods may set although they affect others. Default none. */
  allowedUnsafeSysctls,
  ...pickSettings(nodeStatusSettings, ['nodeLabels', 'maxPods', 'podsPerCore', 'systemReserved', 'kubeReserved']),
} satisfies SettingTable;

/**
 * The Node of a standalone agent, with the names and defaults of KubeletConfiguration and of the kubelet's flags. `systemReserved` and
 * `kubeReserved` also limit the cgroup of all pods, in a cluster too.
 */
export interface AgentNode extends GivenSettings<typeof nodeSettings> {}

const clusterSettings = {
  /** Kernel settings that pods may set although they affect others. Default none. */
  allowedUnsafeSysctls,
  ...nodeLeaseSettings,
  /** Feature gates as configured; the Node does not declare a feature whose gate is off. Default: the kubelet's defaults. */
  featureGates: { default: {} as Readonly<Record<string, boolean>> },
} satisfies SettingTable;

const runtimeSettings = {
  /** Socket of the container runtime. Default: none. */
  endpoint: { default: undefined as string | undefined, field: 'containerRuntimeEndpoint' },
  /** Socket of the image service. Default: that of the container runtime. */
  imageEndpoint: { default: undefined as string | undefined, field: 'imageServiceEndpoint' },
  /** The feature gate of this name, for `chooseStatsSource`. Default: the kubelet's. */
  podAndContainerStatsFromCRI: { default: undefined as boolean | undefined },
} satisfies SettingTable;

const staticPodSettings = {
  /** Folder of manifests, or one manifest. Default: none. */
  path: { default: undefined as string | undefined, field: 'staticPodPath' },
  /** URL of manifests. Default: none. */
  url: { default: undefined as string | undefined, field: 'staticPodURL' },
  /** Headers of requests to the URL. Default none. */
  headers: { default: undefined as Readonly<Record<string, string>> | undefined, field: 'staticPodURLHeader' },
  ...manifestSourceSettings,
} satisfies SettingTable;

const certificateSettings = {
  /** Whether the client certificate is rotated. Default false. */
  rotateCertificates: { default: false, field: 'rotateCertificates' },
  /** Whether the serving certificate of the HTTP API is requested. Default false. */
  serverTLSBootstrap: { default: false, field: 'serverTLSBootstrap' },
} satisfies SettingTable;

const port: SettingCheck = { rule: 'a port', accepts: wholeNumberFrom(0, 65_535).accepts };
const anyText = undefined as string | undefined;
const anyPort = undefined as number | undefined;

const httpsSettings = {
  /** Port of the HTTP API; 0 disables it. Default 10250 in a cluster, else 0. */
  port: { default: anyPort, check: port, field: 'port' },
  /** Address of the port. Default: all addresses. */
  address: { default: anyText, field: 'address' },
} satisfies SettingTable;

const readOnlySettings = {
  /** Port without authentication; 0 disables it. Default 0. */
  port: { default: 0, check: port, field: 'readOnlyPort' },
  /** Address of the port. Default: all addresses. */
  address: { default: anyText, field: 'address' },
} satisfies SettingTable;

const healthzSettings = {
  /** Port of `/healthz`; 0 disables it. Default 10248 if another port is open, else 0. */
  port: { default: anyPort, check: port, field: 'healthzPort' },
  /** Address of the port. Default 127.0.0.1. */
  address: { default: '127.0.0.1', field: 'healthzBindAddress' },
} satisfies SettingTable;

const tlsSettings = {
  /** File of the serving certificate with its chain, PEM. Default: none. */
  certFile: { default: anyText, field: 'tlsCertFile' },
  /** File of its private key, PEM. Default: none. */
  keyFile: { default: anyText, field: 'tlsPrivateKeyFile' },
  /** File of the CAs of client certificates, PEM. Default: client certificates are not accepted. */
  clientCAFile: { default: anyText, field: 'authentication.x509.clientCAFile' },
  /** Minimum version. Default `TLSv1.2`. */
  minVersion: { default: undefined as 'TLSv1.2' | 'TLSv1.3' | undefined, field: 'tlsMinVersion' },
  /** Cipher suites in OpenSSL's syntax. Default: Node's. */
  ciphers: { default: anyText, field: 'tlsCipherSuites' },
} satisfies SettingTable;

const accessSettings = {
  ...authenticationSettings,
  /** Whether the API server authenticates bearer tokens. Default: in a cluster. */
  webhook: { default: undefined as boolean | undefined, field: 'authentication.webhook.enabled' },
} satisfies SettingTable;

const modeSettings = {
  ...authorizationSettings,
  /** `Webhook`: the API server authorizes requests. Default: `Webhook` in a cluster, else `AlwaysAllow`. */
  mode: {
    ...choiceOf('AlwaysAllow', 'Webhook'),
    default: undefined as 'AlwaysAllow' | 'Webhook' | undefined,
    field: 'authorization.mode',
  },
} satisfies SettingTable;

const { serializeImagePulls: _, ...imageSettings } = imageManagerSettings;
const { maxContainerRestartPeriodMs: __, ...podRuntimeSettings } = runtimeManagerSettings;

/** All settings of an agent in groups, by the path of the group in an {@link AgentConfiguration}. */
export const settingGroups = {
  agent: {
    /** Directory of the container logs. Default `/var/log/pods`. */
    podLogsDir: { default: undefined as string | undefined, field: 'podLogsDir' },
  },
  'agent.settings': nodeAgentSettings,
  'agent.node': nodeSettings,
  'agent.imageSettings': imageSettings,
  'agent.runtimeOptions.settings': podRuntimeSettings,
  'agent.eviction.settings': evictionSettings,
  'agent.shutdown': shutdownSettings,
  'agent.resourceManagers': resourceManagerSettings,
  cluster: clusterSettings,
  'cluster.settings': nodeStatusSettings,
  runtime: runtimeSettings,
  staticPods: staticPodSettings,
  certificates: certificateSettings,
  'server.https': httpsSettings,
  'server.https.tls': tlsSettings,
  'server.https.authentication': accessSettings,
  'server.https.authorization': modeSettings,
  'server.readOnly': readOnlySettings,
  'server.healthz': healthzSettings,
  'server.settings': nodeServerSettings,
} satisfies Readonly<Record<string, SettingTable>>;

type Groups = typeof settingGroups;

/** The path of a setting in an {@link AgentConfiguration}, such as `agent.settings.syncFrequencyMs`. */
export type SettingPath = { [Group in keyof Groups]: `${Group}.${keyof Groups[Group] & string}` }[keyof Groups];

/** All settings: path and row. */
export const allSettings: readonly (readonly [SettingPath, Setting])[] = Object.entries<SettingTable>(settingGroups).flatMap(
  ([path, table]) => Object.entries(table).map(([name, row]) => [`${path}.${name}` as SettingPath, row] as const),
);
