import type { CgroupResources } from './cgroup-resources.js';
import { sharesToCpuWeight } from './cpu-weight.js';

/** A property of a systemd unit, with the D-Bus signature of its value: systemd.resource-control(5), org.freedesktop.systemd1(5). */
export interface SystemdProperty {
  name: string;
  signature: 't' | 'b' | 's' | 'as';
  values: readonly string[];
}

const infinity = '18446744073709551615';
const microsecondsPerSecond = 1_000_000;
/** systemd rounds quotas to this and rejects smaller ones. */
const quotaStep = 10_000;
const defaultPeriod = 100_000;

/** The properties that a new slice has: every controller accounts for it, and it waits for no target. */
export function newSliceProperties(version: 1 | 2, description: string, parentSlice: string): SystemdProperty[] {
  const on = (name: string): SystemdProperty => ({ name, signature: 'b', values: ['true'] });
  return [
    { name: 'Description', signature: 's', values: [description] },
    { name: 'Wants', signature: 'as', values: ['1', parentSlice] },
    { name: 'DefaultDependencies', signature: 'b', values: ['false'] },
    on('MemoryAccounting'),
    on('CPUAccounting'),
    on(version === 1 ? 'BlockIOAccounting' : 'IOAccounting'),
    on('TasksAccounting'),
  ];
}

/** The properties for the values that systemd knows. Huge pages are not among them. */
export function systemdProperties(version: 1 | 2, resources: CgroupResources): SystemdProperty[] {
  const { cpuShares, cpuQuota, cpuPeriod, memory, pids, unified = {} } = resources;
  const properties: SystemdProperty[] = [];
  const add = (name: string, value: number | bigint | string) => properties.push({ name, signature: 't', values: [String(value)] });
  if (cpuShares) {
    if (version === 1) add('CPUShares', cpuShares);
    else add('CPUWeight', sharesToCpuWeight(cpuShares));
  }
  if (cpuPeriod) add('CPUQuotaPeriodUSec', cpuPeriod);
  if (cpuQuota) add('CPUQuotaPerSecUSec', cpuQuota < 0 ? infinity : quotaPerSecond(cpuQuota, cpuPeriod || defaultPeriod));
  if (memory) add(version === 1 ? 'MemoryLimit' : 'MemoryMax', memory < 0 ? infinity : memory);
  if (pids) add('TasksMax', pids < 0 ? infinity : pids);
  if (version === 2) {
    for (const [file, name] of Object.entries(memoryProperties)) {
      const text = unified[file];
      if (text !== undefined) add(name, text === 'max' ? infinity : text);
    }
  }
  return properties;
}

const memoryProperties = {
  'memory.min': 'MemoryMin',
  'memory.low': 'MemoryLow',
  'memory.high': 'MemoryHigh',
  'memory.swap.max': 'MemorySwapMax',
} as const;

function quotaPerSecond(quota: number, period: number): number {
  return Math.ceil((quota * microsecondsPerSecond) / period / quotaStep) * quotaStep;
}
