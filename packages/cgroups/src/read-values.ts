import type { CgroupFiles } from './cgroup-files.js';
import type { CgroupResources } from './cgroup-resources.js';
import { cpuWeightToShares } from './cpu-weight.js';
import { cgroupFailed } from './errors.js';
import { type CgroupHierarchy, controllerFolder, words } from './hierarchy.js';

/** cgroup v1 reports no limit as the largest multiple of the page size. */
const unlimitedV1 = 1n << 62n;

/** The CPU and memory values in force. Rejects with `CgroupFailed` if the cgroup does not exist. */
export async function readValues(files: CgroupFiles, machine: CgroupHierarchy, path: string): Promise<CgroupResources> {
  const texts = async (controller: string, ...names: string[]) =>
    (await Promise.all(names.map((file) => readText(files, machine, path, controller, file)))).map((text, index) => {
      if (text !== undefined) return text;
      throw cgroupFailed(`read ${names[index]}`, path, new Error('it does not exist'));
    });
  if (machine.version === 1) {
    const [shares, quota, period] = await texts('cpu', 'cpu.shares', 'cpu.cfs_quota_us', 'cpu.cfs_period_us');
    const [limit = '0'] = await texts('memory', 'memory.limit_in_bytes');
    const memory = BigInt(limit) >= unlimitedV1 ? -1n : BigInt(limit);
    return { cpuShares: Number(shares), cpuQuota: Number(quota), cpuPeriod: Number(period), memory };
  }
  const [weight, max = ''] = await texts('cpu', 'cpu.weight', 'cpu.max');
  const [limit = 'max'] = await texts('memory', 'memory.max');
  const [quota, period] = words(max);
  return {
    cpuShares: cpuWeightToShares(Number(weight)),
    cpuQuota: quota === 'max' ? -1 : Number(quota),
    cpuPeriod: Number(period),
    memory: limit === 'max' ? -1n : BigInt(limit),
  };
}

/** Memory in use, in bytes. Undefined if the cgroup or the controller does not exist. */
export async function readMemoryUsage(files: CgroupFiles, machine: CgroupHierarchy, path: string): Promise<bigint | undefined> {
  const text = await readText(files, machine, path, 'memory', machine.version === 1 ? 'memory.usage_in_bytes' : 'memory.current');
  return text === undefined ? undefined : BigInt(text);
}

async function readText(
  files: CgroupFiles,
  machine: CgroupHierarchy,
  path: string,
  controller: string,
  file: string,
): Promise<string | undefined> {
  const folder = controllerFolder(machine, controller, path);
  if (folder === undefined) return undefined;
  return files.read(`${folder}/${file}`).then(
    (text) => text.trim(),
    () => undefined,
  );
}
