import { invalidOption } from '@nodeagent/api';
import { defaultEvictionHard } from '@nodeagent/kubelet-config';
import type { AgentOptions, RuntimeOptions } from '../options/agent-options.js';
import type { NodeAgentSettings } from '../options/settings.js';
import type { ConfiguredAgentOptions } from './agent-configuration.js';
import { type FieldEffect, type FieldReaders, milliseconds, positiveMilliseconds, unlessEmpty } from './field-readers.js';

type ImageSettings = NonNullable<AgentOptions['imageSettings']>;
type RuntimeSettings = NonNullable<RuntimeOptions['settings']>;
type EvictionSettings = NonNullable<NonNullable<ConfiguredAgentOptions['eviction']>['settings']>;

const settings = (changed: Partial<NodeAgentSettings>): FieldEffect => ({ agent: { settings: changed } });
const images = (changed: ImageSettings): FieldEffect => ({ agent: { imageSettings: changed } });
const runtime = (changed: RuntimeSettings): FieldEffect => ({ agent: { runtimeOptions: { settings: changed } } });
const eviction = (changed: EvictionSettings): FieldEffect => ({ agent: { eviction: { settings: changed } } });

/** The percentages of `qosReserved`; memory is the only resource that can be reserved. */
function readQosReserved(reserved: Readonly<Record<string, string>>): Partial<NodeAgentSettings> {
  const [other] = Object.keys(reserved).filter((name) => name !== 'memory');
  if (other !== undefined) throw invalidOption('qosReserved', 'a map with the key memory only', reserved);
  const [, percent] = /^(\d{1,3})%$/.exec(reserved.memory ?? '') ?? [];
  if (percent === undefined || Number(percent) > 100)
    throw invalidOption('qosReserved.memory', 'a percentage such as 50%', reserved.memory);
  return { qosReservedMemoryPercent: Number(percent) };
}

/** Pod sources and the container runtime. */
export const sourceFields = {
  staticPodPath: (text) => unlessEmpty(text, (path) => ({ staticPods: { path } })),
  staticPodURL: (text) => unlessEmpty(text, (url) => ({ staticPods: { url } })),
  staticPodURLHeader: (headers) => ({
    staticPods: { headers: Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, values.join(', ')])) },
  }),
  fileCheckFrequency: (frequency) => ({ staticPods: { checkIntervalMs: positiveMilliseconds('fileCheckFrequency', frequency) } }),
  containerRuntimeEndpoint: (text) => unlessEmpty(text, (endpoint) => ({ runtime: { endpoint } })),
  imageServiceEndpoint: (text) => unlessEmpty(text, (imageEndpoint) => ({ runtime: { imageEndpoint } })),
} satisfies FieldReaders;

/** The agent's periods, and settings of pods. */
export const podFields = {
  podLogsDir: (text) => unlessEmpty(text, (podLogsDir) => ({ agent: { podLogsDir } })),
  syncFrequency: (frequency) => settings({ syncFrequencyMs: positiveMilliseconds('syncFrequency', frequency) }),
  crashLoopBackOff: ({ maxContainerRestartPeriod: period }) =>
    period === undefined
      ? {}
      : settings({ maxContainerRestartPeriodMs: positiveMilliseconds('crashLoopBackOff.maxContainerRestartPeriod', period) }),
  clusterDNS: (clusterDNS) => settings({ clusterDNS }),
  clusterDomain: (clusterDomain) => settings({ clusterDomain }),
  resolvConf: (resolvConf) => settings({ resolvConf }),
  cgroupsPerQOS: (cgroupsPerQOS) => settings({ cgroupsPerQOS }),
  cgroupDriver: (driver) =>
    driver === 'systemd' || driver === 'cgroupfs' ? settings({ cgroupDriver: driver }) : { ignored: ['cgroupDriver'] },
  cgroupRoot: (text) => unlessEmpty(text, (cgroupRoot) => settings({ cgroupRoot })),
  systemReservedCgroup: (text) => unlessEmpty(text, (systemReservedCgroup) => settings({ systemReservedCgroup })),
  kubeReservedCgroup: (text) => unlessEmpty(text, (kubeReservedCgroup) => settings({ kubeReservedCgroup })),
  podPidsLimit: (podPidsLimit) => settings({ podPidsLimit }),
  qosReserved(reserved, { featureGates }) {
    if (Object.keys(reserved).length === 0) return {};
    return featureGates?.QOSReserved ? settings(readQosReserved(reserved)) : { ignored: ['qosReserved'] };
  },
  failSwapOn: (failSwapOn) => settings({ failSwapOn }),
  failCgroupV1: (failCgroupV1) => settings({ failCgroupV1 }),
  oomScoreAdj: (oomScoreAdj) => settings({ oomScoreAdj }),
  protectKernelDefaults: (protectKernelDefaults) => settings({ protectKernelDefaults }),
  volumeStatsAggPeriod(period) {
    const ms = milliseconds('volumeStatsAggPeriod', period);
    return ms > 0 ? settings({ volumeStatsAggPeriodMs: ms }) : { ignored: ['volumeStatsAggPeriod'] };
  },
  containerLogMaxSize: (containerLogMaxSize) => settings({ containerLogMaxSize }),
  containerLogMaxFiles: (containerLogMaxFiles) => settings({ containerLogMaxFiles }),
  containerLogMaxWorkers: (containerLogMaxWorkers) => settings({ containerLogMaxWorkers }),
  containerLogMonitorInterval: (interval) =>
    settings({ containerLogMonitorIntervalMs: milliseconds('containerLogMonitorInterval', interval) }),
} satisfies FieldReaders;

/** Images and runtime manager settings. */
export const runtimeFields = {
  imageMinimumGCAge: (age) => settings({ imageMinimumGCAgeMs: milliseconds('imageMinimumGCAge', age) }),
  imageMaximumGCAge: (age) => settings({ imageMaximumGCAgeMs: milliseconds('imageMaximumGCAge', age) }),
  imageGCHighThresholdPercent: (imageGCHighThresholdPercent) => settings({ imageGCHighThresholdPercent }),
  imageGCLowThresholdPercent: (imageGCLowThresholdPercent) => settings({ imageGCLowThresholdPercent }),
  serializeImagePulls: (serializeImagePulls) => settings({ serializeImagePulls }),
  maxParallelImagePulls: (maxParallelImagePulls, { serializeImagePulls = maxParallelImagePulls < 2 }) => ({
    agent: { imageSettings: { maxParallelImagePulls }, settings: { serializeImagePulls } },
  }),
  registryPullQPS: (registryPullQPS) => images({ registryPullQPS }),
  registryBurst: (registryBurst) => images({ registryBurst }),
  imagePullCredentialsVerificationPolicy: (policy) =>
    images({ imagePullCredentialsVerificationPolicy: policy as NonNullable<ImageSettings['imagePullCredentialsVerificationPolicy']> }),
  preloadedImagesVerificationAllowlist: (preloadedImagesVerificationAllowlist) => images({ preloadedImagesVerificationAllowlist }),

  runtimeRequestTimeout(timeout) {
    const runtimeRequestTimeoutMs = milliseconds('runtimeRequestTimeout', timeout);
    return { agent: { imageSettings: { runtimeRequestTimeoutMs }, runtimeOptions: { settings: { runtimeRequestTimeoutMs } } } };
  },
  cpuCFSQuota: (cpuCFSQuota) => runtime({ cpuCFSQuota }),
  cpuCFSQuotaPeriod: (period) => runtime({ cpuCFSQuotaPeriodMs: milliseconds('cpuCFSQuotaPeriod', period) }),
  seccompDefault: (seccompDefault) => runtime({ seccompDefault }),
  singleProcessOOMKill: (singleProcessOOMKill) => runtime({ singleProcessOOMKill }),
  memorySwap: ({ swapBehavior }) => runtime({ swapBehavior: swapBehavior === 'LimitedSwap' ? swapBehavior : 'NoSwap' }),
  memoryThrottlingFactor: (memoryThrottlingFactor) => runtime({ memoryThrottlingFactor }),
  memoryReservationPolicy: (policy) => runtime({ memoryReservationPolicy: policy === 'TieredReservation' ? policy : 'None' }),
} satisfies FieldReaders;

/** Eviction thresholds and shutdown grace periods. */
export const evictionFields = {
  evictionHard: (thresholds, { mergeDefaultEvictionSettings: keepsDefaults }) =>
    eviction({ evictionHard: keepsDefaults ? { ...defaultEvictionHard, ...thresholds } : thresholds }),
  evictionSoft: (evictionSoft) => eviction({ evictionSoft }),
  evictionSoftGracePeriod: (evictionSoftGracePeriod) => eviction({ evictionSoftGracePeriod }),
  evictionMinimumReclaim: (evictionMinimumReclaim) => eviction({ evictionMinimumReclaim }),
  evictionPressureTransitionPeriod: (period) =>
    eviction({ evictionPressureTransitionPeriodMs: positiveMilliseconds('evictionPressureTransitionPeriod', period) }),
  evictionMaxPodGracePeriod(seconds) {
    if (seconds < 0) throw invalidOption('evictionMaxPodGracePeriod', 'a number of seconds, 0 or more', seconds);
    return eviction({ evictionMaxPodGracePeriod: seconds });
  },
  /** `evictionHard` takes it into account. */
  mergeDefaultEvictionSettings: () => ({}),
  enforceNodeAllocatable: (enforced) => ({
    agent: { eviction: { settings: { enforceNodeAllocatable: enforced } }, settings: { enforceNodeAllocatable: enforced } },
  }),

  shutdownGracePeriod(period) {
    const ms = milliseconds('shutdownGracePeriod', period);
    return ms > 0 ? { agent: { shutdown: { shutdownGracePeriodSeconds: ms / 1_000 } } } : {};
  },
  shutdownGracePeriodCriticalPods(period) {
    const ms = milliseconds('shutdownGracePeriodCriticalPods', period);
    return ms > 0 ? { agent: { shutdown: { shutdownGracePeriodCriticalPodsSeconds: ms / 1_000 } } } : {};
  },
  shutdownGracePeriodByPodPriority(periods) {
    if (periods.length === 0) return {};
    const byPriority = periods.map(({ priority = 0, shutdownGracePeriodSeconds = 0 }) => ({ priority, shutdownGracePeriodSeconds }));
    return { agent: { shutdown: { shutdownGracePeriodByPodPriority: byPriority } } };
  },
} satisfies FieldReaders;
