import { invalidOption, type Taint } from '@nodeagent/api';
import { isGateEnabled, type KubeletConfiguration } from '@nodeagent/kubelet-config';
import type { AgentNode, RuntimeOptions } from '../options/agent-options.js';
import type { ConfiguredClusterOptions } from './agent-configuration.js';
import { type FieldEffect, type FieldReaders, milliseconds, unlessEmpty } from './field-readers.js';

type RuntimeGates = NonNullable<NonNullable<RuntimeOptions['settings']>['featureGates']>;

const reported = (changed: NonNullable<ConfiguredClusterOptions['settings']>): FieldEffect => ({ cluster: { settings: changed } });

/** Settings of the Node with and without a cluster. */
const everyNode = (changed: Pick<AgentNode, 'maxPods' | 'podsPerCore' | 'systemReserved' | 'kubeReserved'>): FieldEffect => ({
  agent: { node: changed },
  cluster: { settings: changed },
});

/** Node registration, status and resources. */
export const nodeFields = {
  registerNode: (registerNode) => reported({ registerNode }),
  registerWithTaints: (taints) => reported({ registerWithTaints: taints.map(readTaint) }),
  providerID: (text) => unlessEmpty(text, (providerID) => reported({ providerID })),
  maxPods: (maxPods) => everyNode({ maxPods }),
  podsPerCore: (podsPerCore) => everyNode({ podsPerCore }),
  systemReserved: (systemReserved) => everyNode({ systemReserved }),
  kubeReserved: (kubeReserved) => everyNode({ kubeReserved }),
  enableControllerAttachDetach: (enableControllerAttachDetach) => reported({ enableControllerAttachDetach }),
  nodeStatusMaxImages: (nodeStatusMaxImages) => reported({ nodeStatusMaxImages }),
  nodeStatusUpdateFrequency: (frequency, { nodeStatusReportFrequency = frequency }) =>
    reported({
      nodeStatusUpdateFrequencyMs: milliseconds('nodeStatusUpdateFrequency', frequency),
      nodeStatusReportFrequencyMs: milliseconds('nodeStatusReportFrequency', nodeStatusReportFrequency),
    }),
  nodeStatusReportFrequency: (frequency) => reported({ nodeStatusReportFrequencyMs: milliseconds('nodeStatusReportFrequency', frequency) }),
  nodeLeaseDurationSeconds: (leaseDurationSeconds) => ({ cluster: { leaseDurationSeconds } }),
  allowedUnsafeSysctls: (allowedUnsafeSysctls) => ({ agent: { node: { allowedUnsafeSysctls } }, cluster: { allowedUnsafeSysctls } }),
  localStorageCapacityIsolation: (localStorageCapacityIsolation) => ({
    agent: { eviction: { settings: { localStorageCapacityIsolation } } },
    cluster: { settings: { localStorageCapacityIsolation } },
  }),
  featureGates: readFeatureGates,
} satisfies FieldReaders;

const taintEffects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

function readTaint({ key = '', value, effect = '', timeAdded }: Partial<Taint>, index: number): Taint {
  const field = `registerWithTaints[${index}]`;
  if (key === '') throw invalidOption(`${field}.key`, 'the key of a taint', key);
  if (!taintEffects.includes(effect)) throw invalidOption(`${field}.effect`, `one of ${taintEffects.join(', ')}`, effect);
  return { key, ...(value && { value }), effect, ...(timeAdded && { timeAdded }) };
}

const runtimeGates: readonly string[] = ['MemoryQoS', 'ContainerStopSignals', 'RuntimeClassInImageCriAPI'] satisfies (keyof RuntimeGates)[];

/** Gates on which the readers of other fields depend. */
const fieldGates: readonly string[] = ['QOSReserved'];
const policyGates: readonly string[] = ['CPUManagerPolicyAlphaOptions', 'CPUManagerPolicyBetaOptions'];

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
