import { invalidOption, type Taint } from '@nodeagent/api';
import { defaultEvictionHard, isGateEnabled, type KubeletConfiguration } from '@nodeagent/kubelet-config';
import { settingGroups } from '../config/setting-groups.js';
import { openSslCiphers } from './cipher-suites.js';
import { type FieldEffect, type FieldReaders, milliseconds, readSettings } from './field-readers.js';

/** Fields that are not simply the value of the settings which name them. */
export const specialFields = {
  apiVersion: () => ({}),
  kind: () => ({}),

  staticPodURLHeader: (headers) => ({
    staticPods: { headers: Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, values.join(', ')])) },
  }),

  enableServer: (isEnabled) => (isEnabled ? {} : { server: { https: { port: 0 }, readOnly: { port: 0 } } }),
  port: (port, { enableServer = true }) => (enableServer ? readSettings('port', port) : {}),
  readOnlyPort: (port, { enableServer = true }) => (enableServer ? readSettings('readOnlyPort', port) : {}),
  serverTLSBootstrap: (isOn, { featureGates = {} }) => ({
    certificates: { serverTLSBootstrap: isOn && featureGates.RotateKubeletServerCertificate !== false },
  }),
  tlsMinVersion(version) {
    if (version === 'VersionTLS13') return { server: { https: { tls: { minVersion: 'TLSv1.3' } } } };
    return version === 'VersionTLS12' ? {} : { ignored: ['tlsMinVersion'] };
  },
  tlsCipherSuites(suites) {
    const ciphers = openSslCiphers(suites);
    if (ciphers !== undefined) return { server: { https: { tls: { ciphers } } } };
    return suites.length > 0 ? { ignored: ['tlsCipherSuites'] } : {};
  },

  registerWithTaints: (taints) => ({ cluster: { settings: { registerWithTaints: taints.map(readTaint) } } }),
  nodeStatusUpdateFrequency: (frequency, { nodeStatusReportFrequency = frequency }) => ({
    cluster: {
      settings: {
        nodeStatusUpdateFrequencyMs: milliseconds('nodeStatusUpdateFrequency', frequency),
        nodeStatusReportFrequencyMs: milliseconds('nodeStatusReportFrequency', nodeStatusReportFrequency),
      },
    },
  }),

  maxParallelImagePulls: (maxParallelImagePulls, { serializeImagePulls = maxParallelImagePulls < 2 }) => ({
    agent: { imageSettings: { maxParallelImagePulls }, settings: { serializeImagePulls } },
  }),
  volumeStatsAggPeriod: (period) =>
    milliseconds('volumeStatsAggPeriod', period) > 0 ? readSettings('volumeStatsAggPeriod', period) : { ignored: ['volumeStatsAggPeriod'] },
  cgroupDriver: (driver) =>
    driver === 'systemd' || driver === 'cgroupfs' ? { agent: { settings: { cgroupDriver: driver } } } : { ignored: ['cgroupDriver'] },
  qosReserved(reserved, { featureGates }) {
    if (Object.keys(reserved).length === 0) return {};
    return featureGates?.QOSReserved ? { agent: { settings: readQosReserved(reserved) } } : { ignored: ['qosReserved'] };
  },
  reservedMemory: (reservations) => ({
    agent: { resourceManagers: { reservedMemory: reservations.map(({ numaNode = 0, limits = {} }) => ({ numaNode, limits })) } },
  }),

  evictionHard: (thresholds, { mergeDefaultEvictionSettings: keepsDefaults }) => ({
    agent: { eviction: { settings: { evictionHard: keepsDefaults ? { ...defaultEvictionHard, ...thresholds } : thresholds } } },
  }),
  /** `evictionHard` takes it into account. */
  mergeDefaultEvictionSettings: () => ({}),
  shutdownGracePeriodByPodPriority(periods) {
    if (periods.length === 0) return {};
    const byPriority = periods.map(({ priority = 0, shutdownGracePeriodSeconds = 0 }) => ({ priority, shutdownGracePeriodSeconds }));
    return { agent: { shutdown: { shutdownGracePeriodByPodPriority: byPriority } } };
  },

  featureGates: readFeatureGates,
} satisfies FieldReaders;

/** The percentages of `qosReserved`; memory is the only resource that can be reserved. */
function readQosReserved(reserved: Readonly<Record<string, string>>): { qosReservedMemoryPercent: number } {
  const [other] = Object.keys(reserved).filter((name) => name !== 'memory');
  if (other !== undefined) throw invalidOption('qosReserved', 'a map with the key memory only', reserved);
  const [, percent] = /^(\d{1,3})%$/.exec(reserved.memory ?? '') ?? [];
  if (percent === undefined || Number(percent) > 100)
    throw invalidOption('qosReserved.memory', 'a percentage such as 50%', reserved.memory);
  return { qosReservedMemoryPercent: Number(percent) };
}

const taintEffects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

function readTaint({ key = '', value, effect = '', timeAdded }: Partial<Taint>, index: number): Taint {
  const field = `registerWithTaints[${index}]`;
  if (key === '') throw invalidOption(`${field}.key`, 'the key of a taint', key);
  if (!taintEffects.includes(effect)) throw invalidOption(`${field}.effect`, `one of ${taintEffects.join(', ')}`, effect);
  return { key, ...(value && { value }), effect, ...(timeAdded && { timeAdded }) };
}

const runtimeGates: readonly string[] = settingGroups['agent.runtimeOptions.settings'].featureGates.keys;
const policyGates: readonly string[] = settingGroups['agent.resourceManagers'].featureGates.keys;

/** Gates on which the readers of other fields depend. */
const fieldGates: readonly string[] = ['QOSReserved'];

/** Gates of declared features: an API server rejects pods and updates that need a feature which the Node does not declare. */
const declaredGates: readonly string[] = [
  'ExtendWebSocketsToKubelet',
  'InPlacePodLevelResourcesVerticalScaling',
  'InPlacePodVerticalScalingInitContainers',
  'NodeDeclaredFeatures',
  'RestartAllContainersOnContainerExits',
];

function readFeatureGates(gates: NonNullable<KubeletConfiguration['featureGates']>): FieldEffect {
  const { PodAndContainerStatsFromCRI: podAndContainerStatsFromCRI, ...others } = gates;
  const entries = Object.entries(others);
  const chosen = (names: readonly string[]) => Object.fromEntries(entries.filter(([gate]) => names.includes(gate)));
  const policies = chosen(policyGates);
  const supported = [...runtimeGates, ...declaredGates, ...fieldGates, ...policyGates];
  const changed = entries.filter(([gate, isOn]) => !supported.includes(gate) && isOn !== isGateEnabled(undefined, gate));
  return {
    agent: {
      runtimeOptions: { settings: { featureGates: chosen(runtimeGates) } },
      ...(Object.keys(policies).length > 0 && { resourceManagers: { featureGates: policies } }),
    },
    cluster: { featureGates: chosen(declaredGates) },
    ...(podAndContainerStatsFromCRI !== undefined && { runtime: { podAndContainerStatsFromCRI } }),
    ignored: changed.map(([gate]) => `featureGates.${gate}`),
  };
}
