import type { KubeletConfiguration } from '../fields.js';
import { type ConfigurationProblems, isWithin, nanosOf, second } from './problems.js';

/** Counts, ports and durations with limits. */
export function validateNumbers(config: KubeletConfiguration, problems: ConfigurationProblems): void {
  problems.check((config.nodeLeaseDurationSeconds ?? 0) > 0, 'nodeLeaseDurationSeconds must be greater than 0');
  problems.check(
    !config.systemCgroups || Boolean(config.cgroupRoot),
    'systemCgroups (--system-cgroups) was specified and cgroupRoot (--cgroup-root) was not specified',
  );
  notNegative(config, problems, 'eventBurst', '--event-burst');
  notNegative(config, problems, 'eventRecordQPS', '--event-qps');
  if (config.healthzPort !== 0) within(config, problems, 'healthzPort', '--healthz-port', 1, 65_535);
  const period = nanosOf(config.cpuCFSQuotaPeriod);
  problems.check(
    period >= second / 1_000n && period <= second,
    `cpuCFSQuotaPeriod (--cpu-cfs-quota-period) {${config.cpuCFSQuotaPeriod}} must be between 1ms and 1sec, inclusive`,
  );
  validateImageGC(config, problems);
  within(config, problems, 'iptablesDropBit', '--iptables-drop-bit', 0, 31);
  within(config, problems, 'iptablesMasqueradeBit', '--iptables-masquerade-bit', 0, 31);
  notNegative(config, problems, 'kubeAPIBurst', '--kube-api-burst');
  notNegative(config, problems, 'kubeAPIQPS', '--kube-api-qps');
  const { nodeStatusMaxImages = 0 } = config;
  problems.check(nodeStatusMaxImages >= -1, `nodeStatusMaxImages (--node-status-max-images) ${nodeStatusMaxImages} must be -1 or greater`);
  notNegative(config, problems, 'maxOpenFiles', '--max-open-files');
  notNegative(config, problems, 'maxPods', '--max-pods');
  within(config, problems, 'oomScoreAdj', '--oom-score-adj', -1000, 1000);
  notNegative(config, problems, 'podsPerCore', '--pods-per-core');
  within(config, problems, 'port', '--port', 1, 65_535);
  within(config, problems, 'readOnlyPort', '--read-only-port', 0, 65_535);
  notNegative(config, problems, 'registryBurst', '--registry-burst');
  notNegative(config, problems, 'registryPullQPS', '--registry-qps');
}

function validateImageGC(config: KubeletConfiguration, problems: ConfigurationProblems): void {
  within(config, problems, 'imageGCHighThresholdPercent', '--image-gc-high-threshold', 0, 100);
  within(config, problems, 'imageGCLowThresholdPercent', '--image-gc-low-threshold', 0, 100);
  const { imageGCHighThresholdPercent: high = 0, imageGCLowThresholdPercent: low = 0 } = config;
  problems.check(
    low < high,
    `imageGCLowThresholdPercent (--image-gc-low-threshold) ${low} must be less than imageGCHighThresholdPercent (--image-gc-high-threshold) ${high}`,
  );
  const { imageMinimumGCAge, imageMaximumGCAge } = config;
  const [min, max] = [nanosOf(imageMinimumGCAge), nanosOf(imageMaximumGCAge)];
  problems.check(min >= 0n, `imageMinimumGCAge ${imageMinimumGCAge} must not be negative`);
  problems.check(max >= 0n, `imageMaximumGCAge ${imageMaximumGCAge} must not be negative`);
  problems.check(
    !(max > 0n) || max > min,
    `imageMaximumGCAge ${imageMaximumGCAge} must be greater than imageMinimumGCAge ${imageMinimumGCAge}`,
  );
}

type NumberField = {
  [Name in keyof KubeletConfiguration]-?: number extends KubeletConfiguration[Name] ? Name : never;
}[keyof KubeletConfiguration];

function notNegative(config: KubeletConfiguration, problems: ConfigurationProblems, field: NumberField, flag: string): void {
  const value = config[field] ?? 0;
  problems.check(value >= 0, `${field} (${flag}) ${value} must not be a negative number`);
}

function within(
  config: KubeletConfiguration,
  problems: ConfigurationProblems,
  field: NumberField,
  flag: string,
  min: number,
  max: number,
): void {
  const value = config[field] ?? 0;
  problems.check(isWithin(value, min, max), `${field} (${flag}) ${value} must be between ${min} and ${max}, inclusive`);
}
