import { formatDuration, frozenCopy, maxContainerBackOffMs } from '@nodeagent/api/helpers';
import { parseNanos } from './duration.js';
import { isGateEnabled } from './feature-gates.js';
import type { KubeletConfiguration } from './fields.js';

/** Defaults of fields in which 0, the empty string and `0s` select the default. */
const whereZero: Readonly<KubeletConfiguration> = frozenCopy({
  podLogsDir: '/var/log/pods',
  syncFrequency: '1m0s',
  fileCheckFrequency: '20s',
  httpCheckFrequency: '20s',
  address: '0.0.0.0',
  port: 10_250,
  registryBurst: 10,
  eventBurst: 100,
  healthzBindAddress: '127.0.0.1',
  streamingConnectionIdleTimeout: '4h0m0s',
  nodeStatusUpdateFrequency: '10s',
  nodeLeaseDurationSeconds: 40,
  imageMinimumGCAge: '2m0s',
  volumeStatsAggPeriod: '1m0s',
  cgroupDriver: 'cgroupfs',
  cpuManagerPolicy: 'none',
  cpuManagerReconcilePeriod: '10s',
  memoryManagerPolicy: 'None',
  topologyManagerPolicy: 'none',
  topologyManagerScope: 'container',
  runtimeRequestTimeout: '2m0s',
  hairpinMode: 'promiscuous-bridge',
  maxPods: 110,
  maxOpenFiles: 1_000_000,
  contentType: 'application/vnd.kubernetes.protobuf',
  kubeAPIBurst: 100,
  evictionPressureTransitionPeriod: '5m0s',
  containerLogMaxSize: '10Mi',
  configMapAndSecretChangeDetectionStrategy: 'Watch',
  volumePluginDir: '/usr/libexec/kubernetes/kubelet-plugins/volume/exec/',
  memoryReservationPolicy: 'None',
  containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
});

/** Defaults of fields in which only absence selects the default: an explicit 0 or false is kept. */
const whereAbsent: Readonly<KubeletConfiguration> = frozenCopy({
  enableServer: true,
  registryPullQPS: 5,
  eventRecordQPS: 50,
  enableDebuggingHandlers: true,
  enableProfilingHandler: true,
  enableDebugFlagsHandler: true,
  enableSystemLogHandler: true,
  healthzPort: 10_248,
  oomScoreAdj: -999,
  imageMaximumGCAge: '0s',
  imageGCHighThresholdPercent: 85,
  imageGCLowThresholdPercent: 80,
  cgroupsPerQOS: true,
  podPidsLimit: -1,
  resolvConf: '/etc/resolv.conf',
  cpuCFSQuota: true,
  cpuCFSQuotaPeriod: '100ms',
  nodeStatusMaxImages: 50,
  kubeAPIQPS: 50,
  mergeDefaultEvictionSettings: false,
  enableControllerAttachDetach: true,
  makeIPTablesUtilChains: true,
  iptablesMasqueradeBit: 14,
  iptablesDropBit: 15,
  failSwapOn: true,
  memorySwap: {},
  containerLogMaxFiles: 5,
  containerLogMaxWorkers: 1,
  containerLogMonitorInterval: '10s',
  enforceNodeAllocatable: ['pods'],
  shutdownGracePeriod: '0s',
  shutdownGracePeriodCriticalPods: '0s',
  seccompDefault: false,
  memoryThrottlingFactor: 0.9,
  registerNode: true,
  localStorageCapacityIsolation: true,
  failCgroupV1: true,
});

/**
 * Sets the defaults of absent fields, as for `--config`. In fields that are plain values in the API, 0, `""` and `0s` select the default.
 * Hard eviction thresholds have no default here, see {@link parseKubeletConfiguration}.
 */
export function setDefaults(given: KubeletConfiguration): KubeletConfiguration {
  const config = structuredClone(given);
  const set = config as Record<string, unknown>;
  // Before the update frequency gets its default: an explicit one applies to reports too.
  if (isZero(config.nodeStatusReportFrequency))
    config.nodeStatusReportFrequency = isZero(config.nodeStatusUpdateFrequency) ? '5m0s' : config.nodeStatusUpdateFrequency;
  for (const [name, value] of Object.entries(whereZero)) if (isZero(set[name])) set[name] = value;
  for (const [name, value] of Object.entries(whereAbsent)) set[name] ??= structuredClone(value);

  config.serializeImagePulls ??= !((config.maxParallelImagePulls ?? 0) >= 2);
  if ((config.podPidsLimit ?? 0) < 0) config.podPidsLimit = -1;
  if (isGateEnabled(config.featureGates, 'KubeletEnsureSecretPulledImages'))
    config.imagePullCredentialsVerificationPolicy ||= 'NeverVerifyPreloadedImages';
  config.crashLoopBackOff ??= {};
  if (isGateEnabled(config.featureGates, 'KubeletCrashLoopBackOffMax'))
    config.crashLoopBackOff.maxContainerRestartPeriod ??= formatDuration(maxContainerBackOffMs);
  config.authentication = defaultAuthentication(config.authentication);
  config.authorization = defaultAuthorization(config.authorization);
  config.logging = defaultLogging(config.logging);
  return config;
}

/** The defaults of a kubelet without `--config`: open to anonymous clients, and with the read-only port. */
export const legacyOverrides: Readonly<KubeletConfiguration> = frozenCopy({
  readOnlyPort: 10_255,
  authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
  authorization: { mode: 'AlwaysAllow' },
});

function defaultAuthentication({ x509, webhook, anonymous }: NonNullable<KubeletConfiguration['authentication']> = {}) {
  return {
    x509: { ...x509 },
    webhook: { ...webhook, enabled: webhook?.enabled ?? true, cacheTTL: orDefault(webhook?.cacheTTL, '2m0s') },
    anonymous: { ...anonymous, enabled: anonymous?.enabled ?? false },
  };
}

function defaultAuthorization({ mode, webhook }: NonNullable<KubeletConfiguration['authorization']> = {}) {
  return {
    mode: mode || 'Webhook',
    webhook: {
      cacheAuthorizedTTL: orDefault(webhook?.cacheAuthorizedTTL, '5m0s'),
      cacheUnauthorizedTTL: orDefault(webhook?.cacheUnauthorizedTTL, '30s'),
    },
  };
}

function defaultLogging(logging: NonNullable<KubeletConfiguration['logging']> = {}) {
  const { text, json } = logging.options ?? {};
  return {
    ...logging,
    format: logging.format || 'text',
    flushFrequency: orDefault(logging.flushFrequency, '5s'),
    verbosity: logging.verbosity ?? 0,
    options: { text: { infoBufferSize: '0', ...text }, json: { infoBufferSize: '0', ...json } },
  };
}

const orDefault = <Duration extends string | number>(duration: Duration | undefined, fallback: string): Duration | string =>
  duration === undefined || isZero(duration) ? fallback : duration;

function isZero(value: unknown): boolean {
  return value === undefined || value === 0 || value === '' || (typeof value === 'string' && parseNanos(value) === 0n);
}
