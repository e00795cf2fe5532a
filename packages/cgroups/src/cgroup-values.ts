import type { CgroupResources } from './cgroup-resources.js';
import { sharesToCpuWeight } from './cpu-weight.js';

/** The text for one file of a cgroup. */
export interface CgroupValue {
  /** The controller of the file. */
  controller: string;
  file: string;
  value: string;
  /** Whether older kernels lack the file: it is then left out. Default false. */
  isOptional?: true;
}

const defaultPeriod = 100_000;

/** The files of a cgroup and their texts, in the order of writing. Kernel documentation: cgroup-v1 and cgroup-v2.rst. */
export function cgroupValues(version: 1 | 2, resources: CgroupResources): CgroupValue[] {
  return version === 1 ? valuesV1(resources) : valuesV2(resources);
}

function valuesV1({ cpuShares, cpuQuota, cpuPeriod, memory, pids, hugePages = {} }: CgroupResources): CgroupValue[] {
  const values: CgroupValue[] = [];
  const add = (controller: string, file: string, amount: number | bigint | undefined) => {
    if (amount !== undefined && amount !== 0 && amount !== 0n) values.push({ controller, file, value: String(amount) });
  };
  add('cpu', 'cpu.shares', cpuShares);
  add('cpu', 'cpu.cfs_period_us', cpuPeriod);
  add('cpu', 'cpu.cfs_quota_us', cpuQuota);
  add('memory', 'memory.limit_in_bytes', memory);
  if (pids !== undefined && pids !== 0) values.push({ controller: 'pids', file: 'pids.max', value: limitText(pids) });
  for (const [size, bytes] of Object.entries(hugePages)) {
    values.push({ controller: 'hugetlb', file: `hugetlb.${size}.limit_in_bytes`, value: String(bytes) });
    values.push({ controller: 'hugetlb', file: `hugetlb.${size}.rsvd.limit_in_bytes`, value: String(bytes), isOptional: true });
  }
  return values;
}

function valuesV2({ cpuShares, cpuQuota, cpuPeriod, memory, pids, hugePages = {}, unified = {} }: CgroupResources): CgroupValue[] {
  const values: CgroupValue[] = [];
  const add = (controller: string, file: string, value: string) => values.push({ controller, file, value });
  if (cpuShares) add('cpu', 'cpu.weight', String(sharesToCpuWeight(cpuShares)));
  if (cpuQuota || cpuPeriod) add('cpu', 'cpu.max', `${cpuQuota && cpuQuota > 0 ? cpuQuota : 'max'} ${cpuPeriod || defaultPeriod}`);
  if (memory) add('memory', 'memory.max', limitText(memory));
  if (pids) add('pids', 'pids.max', limitText(pids));
  for (const [size, bytes] of Object.entries(hugePages)) {
    add('hugetlb', `hugetlb.${size}.max`, String(bytes));
    values.push({ controller: 'hugetlb', file: `hugetlb.${size}.rsvd.max`, value: String(bytes), isOptional: true });
  }
  for (const [file, text] of Object.entries(unified)) add(file.slice(0, file.indexOf('.')), file, text);
  return values;
}

const limitText = (amount: number | bigint) => (amount < 0 ? 'max' : String(amount));
