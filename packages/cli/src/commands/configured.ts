import { isDeepStrictEqual } from 'node:util';
import type { JoinClusterOptions, NodeAgentOptions, NodeAgentSettings } from '@nodeagent/core';
import type { EvictionSettings } from '@nodeagent/eviction';
import { isGateEnabled, type KubeletConfiguration, parseNanos, setDefaults } from '@nodeagent/kubelet-config';
import { openSslCiphers } from './cipher-suites.js';
import type { ServerSettings } from './node-server.js';

/** What a KubeletConfiguration means to an agent. */
export interface Configured {
  /** Flags that are given nothing else, by their names. */
  flags: Record<string, string>;
  settings: Partial<NodeAgentSettings>;
  imageSettings: NonNullable<NodeAgentOptions['imageSettings']>;
  runtimeSettings: RuntimeSettings;
  /** Of a node of a cluster. */
  nodeSettings: NonNullable<JoinClusterOptions['settings']>;
  /** Of eviction, what has no flag. */
  evictionSettings: Pick<EvictionSettings, 'enforceNodeAllocatable' | 'localStorageCapacityIsolation'>;
  /** What pods get when the machine goes down. */
  shutdown: NonNullable<NodeAgentOptions['shutdown']>;
  membership: Pick<JoinClusterOptions, 'leaseDurationSeconds' | 'allowedUnsafeSysctls' | 'featureGates'>;
  /** Of the node's HTTP API. */
  server: ServerSettings;
  /** All of it, with defaults. */
  configuration: KubeletConfiguration;
  /** Feature gate `PodAndContainerStatsFromCRI`. */
  podAndContainerStatsFromCRI?: boolean;
  manifestHeaders?: Record<string, string>;
  /** Fields that are set to something else than their defaults, and that nothing honours yet. */
  ignored: string[];
}

type RuntimeSettings = NonNullable<NonNullable<NodeAgentOptions['runtimeOptions']>['settings']>;
type RuntimeGate = keyof NonNullable<RuntimeSettings['featureGates']>;
type Field = keyof KubeletConfiguration;
type Value<Name extends Field> = NonNullable<KubeletConfiguration[Name]>;
type Takers = { [Name in Field]?: (to: Configured, value: Value<Name>, config: KubeletConfiguration) => void };

const flag =
  (name: string) =>
  (to: Configured, value: string | number | boolean | string[]): void => {
    to.flags[name] = String(value);
  };
const setting =
  <Of extends 'settings' | 'imageSettings' | 'runtimeSettings' | 'nodeSettings' | 'membership', Name extends keyof Configured[Of]>(
    of: Of,
    name: Name,
  ) =>
  (to: Configured, value: Configured[Of][Name]): void => {
    to[of][name] = value;
  };
const route =
  (name: keyof ServerSettings['routes']) =>
  (to: Configured, isEnabled: boolean): void => {
    to.server.routes = { ...to.server.routes, [name]: isEnabled };
  };
/** A map of signals as its flag has it; an empty one, which is something else than none, is a comma. */
const signals =
  (name: string, separator: '<' | '=') =>
  (to: Configured, map: Record<string, string>): void => {
    const pairs = Object.entries(map).map((pair) => pair.join(separator));
    to.flags[name] = pairs.join(',') || ',';
  };
const milliseconds = (duration: string) => Number(parseNanos(duration) ?? 0n) / 1e6;

/** Switch what the Node declares: an API server refuses pods and updates that need a feature which it does not declare. */
const declaredGates = [
  'ExtendWebSocketsToKubelet',
  'InPlacePodLevelResourcesVerticalScaling',
  'InPlacePodVerticalScalingInitContainers',
  'NodeDeclaredFeatures',
  'RestartAllContainersOnContainerExits',
];

/** How each field that is honoured is handed on. */
const takers: Takers = {
  staticPodPath: flag('manifests'),
  staticPodURL: flag('manifest-url'),
  staticPodURLHeader(to, headers) {
    to.manifestHeaders = Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, values.join(', ')]));
  },
  podLogsDir: flag('pod-logs-dir'),
  syncFrequency: flag('sync-frequency'),
  fileCheckFrequency: flag('file-check-frequency'),
  containerRuntimeEndpoint: flag('runtime-endpoint'),
  imageServiceEndpoint: flag('image-service-endpoint'),
  clusterDNS: flag('cluster-dns'),
  clusterDomain: flag('cluster-domain'),
  registerNode: flag('register-node'),
  registerWithTaints(to, taints) {
    to.flags['register-with-taints'] = taints.map(({ key, value, effect }) => `${key}${value ? `=${value}` : ''}:${effect}`).join(',');
  },
  providerID: flag('provider-id'),
  maxPods: flag('max-pods'),
  crashLoopBackOff(to, { maxContainerRestartPeriod }) {
    if (maxContainerRestartPeriod !== undefined) to.flags['max-restart-period'] = maxContainerRestartPeriod;
  },

  port: flag('port'),
  address: flag('address'),
  readOnlyPort: flag('read-only-port'),
  healthzPort: flag('healthz-port'),
  healthzBindAddress: flag('healthz-bind-address'),
  tlsCertFile: flag('tls-cert-file'),
  tlsPrivateKeyFile: flag('tls-private-key-file'),
  tlsMinVersion(to, version) {
    if (version === 'VersionTLS13') to.server.minVersion = 'TLSv1.3';
    else if (version !== 'VersionTLS12') to.ignored.push('tlsMinVersion');
  },
  tlsCipherSuites(to, suites) {
    const ciphers = openSslCiphers(suites);
    if (ciphers !== undefined) to.server.ciphers = ciphers;
    else if (suites.length > 0) to.ignored.push('tlsCipherSuites');
  },
  enableServer(to, isEnabled) {
    if (!isEnabled) for (const name of ['port', 'read-only-port']) to.flags[name] = '0';
  },
  authentication(to, { x509, webhook, anonymous }) {
    if (x509?.clientCAFile) to.flags['client-ca-file'] = x509.clientCAFile;
    if (webhook?.enabled !== undefined) to.flags['authentication-token-webhook'] = String(webhook.enabled);
    if (webhook?.cacheTTL !== undefined) to.server.tokenCacheMs = milliseconds(webhook.cacheTTL);
    if (anonymous?.enabled !== undefined) to.flags['anonymous-auth'] = String(anonymous.enabled);
  },
  authorization(to, { mode, webhook }) {
    if (mode) to.flags['authorization-mode'] = mode;
    if (webhook?.cacheAuthorizedTTL !== undefined) to.server.allowedCacheMs = milliseconds(webhook.cacheAuthorizedTTL);
    if (webhook?.cacheUnauthorizedTTL !== undefined) to.server.deniedCacheMs = milliseconds(webhook.cacheUnauthorizedTTL);
  },
  enableDebuggingHandlers: route('enableDebuggingHandlers'),
  enableSystemLogHandler: route('enableSystemLogHandler'),
  enableProfilingHandler: route('enableProfilingHandler'),
  enableDebugFlagsHandler: route('enableDebugFlagsHandler'),

  evictionHard: signals('eviction-hard', '<'),
  evictionSoft: signals('eviction-soft', '<'),
  evictionSoftGracePeriod: signals('eviction-soft-grace-period', '='),
  evictionMinimumReclaim: signals('eviction-minimum-reclaim', '='),
  evictionPressureTransitionPeriod: flag('eviction-pressure-transition-period'),
  evictionMaxPodGracePeriod: flag('eviction-max-pod-grace-period'),
  /** Loading the configuration has merged them. */
  mergeDefaultEvictionSettings: () => {},

  shutdownGracePeriod(to, period) {
    if (milliseconds(period) > 0) to.shutdown.shutdownGracePeriodSeconds = milliseconds(period) / 1000;
  },
  shutdownGracePeriodCriticalPods(to, period) {
    if (milliseconds(period) > 0) to.shutdown.shutdownGracePeriodCriticalPodsSeconds = milliseconds(period) / 1000;
  },
  shutdownGracePeriodByPodPriority(to, periods) {
    if (periods.length === 0) return;
    to.shutdown.shutdownGracePeriodByPodPriority = periods.map(({ priority = 0, shutdownGracePeriodSeconds = 0 }) => ({
      priority,
      shutdownGracePeriodSeconds,
    }));
  },

  volumeStatsAggPeriod(to, period) {
    if (milliseconds(period) > 0) to.settings.volumeStatsAggPeriodMs = milliseconds(period);
    else to.ignored.push('volumeStatsAggPeriod');
  },
  imageMinimumGCAge(to, age) {
    to.settings.imageMinimumGCAgeMs = milliseconds(age);
  },
  imageMaximumGCAge(to, age) {
    to.settings.imageMaximumGCAgeMs = milliseconds(age);
  },
  imageGCHighThresholdPercent: setting('settings', 'imageGCHighThresholdPercent'),
  imageGCLowThresholdPercent: setting('settings', 'imageGCLowThresholdPercent'),
  serializeImagePulls: setting('settings', 'serializeImagePulls'),
  maxParallelImagePulls(to, pulls, { serializeImagePulls = true }) {
    to.imageSettings.maxParallelImagePulls = pulls;
    to.settings.serializeImagePulls = serializeImagePulls;
  },
  containerLogMaxSize: setting('settings', 'containerLogMaxSize'),
  containerLogMaxFiles: setting('settings', 'containerLogMaxFiles'),
  containerLogMaxWorkers: setting('settings', 'containerLogMaxWorkers'),
  containerLogMonitorInterval(to, interval) {
    to.settings.containerLogMonitorIntervalMs = milliseconds(interval);
  },
  cgroupsPerQOS: setting('settings', 'cgroupsPerQOS'),
  cgroupDriver(to, driver) {
    if (driver === 'systemd' || driver === 'cgroupfs') to.settings.cgroupDriver = driver;
    else to.ignored.push('cgroupDriver');
  },
  resolvConf: setting('settings', 'resolvConf'),

  registryPullQPS: setting('imageSettings', 'registryPullQPS'),
  registryBurst: setting('imageSettings', 'registryBurst'),
  imagePullCredentialsVerificationPolicy(to, policy) {
    to.imageSettings.imagePullCredentialsVerificationPolicy = policy as NonNullable<
      typeof to.imageSettings.imagePullCredentialsVerificationPolicy
    >;
  },
  preloadedImagesVerificationAllowlist: setting('imageSettings', 'preloadedImagesVerificationAllowlist'),

  runtimeRequestTimeout(to, timeout) {
    to.imageSettings.runtimeRequestTimeoutMs = milliseconds(timeout);
    to.runtimeSettings.runtimeRequestTimeoutMs = milliseconds(timeout);
  },
  cpuCFSQuota: setting('runtimeSettings', 'cpuCFSQuota'),
  cpuCFSQuotaPeriod(to, period) {
    to.runtimeSettings.cpuCFSQuotaPeriodMs = milliseconds(period);
  },
  seccompDefault: setting('runtimeSettings', 'seccompDefault'),
  singleProcessOOMKill: setting('runtimeSettings', 'singleProcessOOMKill'),
  memorySwap(to, { swapBehavior = '' }) {
    to.runtimeSettings.swapBehavior = swapBehavior === 'LimitedSwap' ? 'LimitedSwap' : 'NoSwap';
  },
  memoryThrottlingFactor: setting('runtimeSettings', 'memoryThrottlingFactor'),
  memoryReservationPolicy(to, policy) {
    to.runtimeSettings.memoryReservationPolicy = policy === 'TieredReservation' ? 'TieredReservation' : 'None';
  },
  featureGates(to, gates) {
    const ofRuntime: readonly string[] = ['MemoryQoS', 'ContainerStopSignals', 'RuntimeClassInImageCriAPI'] satisfies RuntimeGate[];
    const { PodAndContainerStatsFromCRI, ...others } = gates;
    if (PodAndContainerStatsFromCRI !== undefined) to.podAndContainerStatsFromCRI = PodAndContainerStatsFromCRI;
    const entries = Object.entries(others);
    to.runtimeSettings.featureGates = Object.fromEntries(entries.filter(([gate]) => ofRuntime.includes(gate)));
    to.membership.featureGates = Object.fromEntries(entries.filter(([gate]) => declaredGates.includes(gate)));
    const honoured = [...ofRuntime, ...declaredGates];
    const changed = entries.filter(([gate, isOn]) => !honoured.includes(gate) && isOn !== isGateEnabled(undefined, gate));
    to.ignored.push(...changed.map(([gate]) => `featureGates.${gate}`));
  },

  enableControllerAttachDetach: setting('nodeSettings', 'enableControllerAttachDetach'),
  podsPerCore: setting('nodeSettings', 'podsPerCore'),
  nodeStatusMaxImages: setting('nodeSettings', 'nodeStatusMaxImages'),
  nodeStatusUpdateFrequency(to, frequency, { nodeStatusReportFrequency = frequency }) {
    to.nodeSettings.nodeStatusUpdateFrequencyMs = milliseconds(frequency);
    to.nodeSettings.nodeStatusReportFrequencyMs = milliseconds(nodeStatusReportFrequency);
  },
  nodeStatusReportFrequency(to, frequency) {
    to.nodeSettings.nodeStatusReportFrequencyMs = milliseconds(frequency);
  },
  systemReserved: setting('nodeSettings', 'systemReserved'),
  kubeReserved: setting('nodeSettings', 'kubeReserved'),
  localStorageCapacityIsolation(to, isOn) {
    to.nodeSettings.localStorageCapacityIsolation = isOn;
    to.evictionSettings.localStorageCapacityIsolation = isOn;
  },
  enforceNodeAllocatable(to, enforced) {
    to.evictionSettings.enforceNodeAllocatable = enforced;
    // The cgroups of the system's own parts are nobody's work yet.
    if (enforced.some((what) => what !== 'pods' && what !== 'none')) to.ignored.push('enforceNodeAllocatable');
  },
  nodeLeaseDurationSeconds: setting('membership', 'leaseDurationSeconds'),
  allowedUnsafeSysctls: setting('membership', 'allowedUnsafeSysctls'),
};

const defaults = setDefaults({});

/** Translates the fields that a configuration's files set: what they leave to the kubelet's defaults is left to the agent's. */
export function configuredBy(config: KubeletConfiguration, given: readonly Field[]): Configured {
  const to: Configured = {
    flags: {},
    settings: {},
    imageSettings: {},
    runtimeSettings: {},
    nodeSettings: {},
    membership: {},
    server: { routes: {} },
    configuration: config,
    evictionSettings: {},
    shutdown: {},
    ignored: [],
  };
  for (const field of given) {
    const take = takers[field] as ((to: Configured, value: unknown, config: KubeletConfiguration) => void) | undefined;
    if (take) take(to, config[field], config);
    else if (!isDefault(config[field], defaults[field])) to.ignored.push(field);
  }
  return to;
}

/** A field without a default is 0, false or empty. */
function isDefault(value: unknown, fallback: unknown): boolean {
  if (fallback !== undefined) return isDeepStrictEqual(value, fallback);
  return typeof value === 'object' ? Object.keys(value ?? {}).length === 0 : !value;
}
