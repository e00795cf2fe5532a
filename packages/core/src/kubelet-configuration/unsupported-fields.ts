import type { KubeletConfiguration } from '@nodeagent/kubelet-config';

/** Fields that the agent does not support, in the order of the reference. */
export const unsupportedFields = [
  'httpCheckFrequency',
  'tlsCurvePreferences',
  'enableContentionProfiling',
  'enableSystemLogQuery',
  'streamingConnectionIdleTimeout',
  'showHiddenMetricsForVersion',
  'logging',
  'tracing',
  'contentType',
  'kubeAPIQPS',
  'kubeAPIBurst',
  'eventRecordQPS',
  'eventBurst',
  'podCIDR',
  'configMapAndSecretChangeDetectionStrategy',
  'volumePluginDir',
  'hairpinMode',
  'userNamespaces',
  'makeIPTablesUtilChains',
  'iptablesMasqueradeBit',
  'iptablesDropBit',
  'runOnce',
  'kubeletCgroups',
  'systemCgroups',
  'maxOpenFiles',
  'kernelMemcgNotification',
] as const satisfies readonly (keyof KubeletConfiguration)[];

export type UnsupportedField = (typeof unsupportedFields)[number];
