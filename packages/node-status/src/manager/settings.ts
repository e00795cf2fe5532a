import { invalidOption, requirePositive } from '@nodeagent/api';
import type { NodeStatusSettings } from './options.js';

const defaults = {
  registerNode: true,
  registerDeletedNode: false,
  enableControllerAttachDetach: true,
  externalCloudProvider: false,
  nodeIPs: [] as readonly string[],
  kubeletVersion: 'v1.36.2',
  port: 10_250,
  maxPods: 110,
  podsPerCore: 0,
  nodeStatusMaxImages: 50,
  nodeStatusUpdateFrequencyMs: 10_000,
  localStorageCapacityIsolation: true,
  callTimeoutMs: 10_000,
};

/** Default of the report frequency; without it, the update frequency counts if that is set. */
const defaultReportFrequencyMs = 300_000;

/** The settings with their defaults; throws `InvalidOption`. */
export function withDefaults(settings: NodeStatusSettings = {}) {
  const { nodeStatusUpdateFrequencyMs, nodeStatusReportFrequencyMs, callTimeoutMs } = settings;
  for (const [field, value] of Object.entries({ nodeStatusUpdateFrequencyMs, nodeStatusReportFrequencyMs, callTimeoutMs })) {
    requirePositive(field, value);
  }
  requirePositive('port', settings.port, { integer: true });
  for (const [field, min] of [
    ['maxPods', 0],
    ['podsPerCore', 0],
    ['nodeStatusMaxImages', -1],
  ] as const) {
    const value = settings[field];
    if (value !== undefined && !(Number.isInteger(value) && value >= min)) throw invalidOption(field, `a whole number from ${min}`, value);
  }
  if ((settings.nodeIPs ?? []).length > 2) throw invalidOption('nodeIPs', 'at most two addresses', settings.nodeIPs);
  return {
    ...defaults,
    nodeStatusReportFrequencyMs: nodeStatusUpdateFrequencyMs ?? defaultReportFrequencyMs,
    ...settings,
  };
}

export type CompleteSettings = ReturnType<typeof withDefaults>;
