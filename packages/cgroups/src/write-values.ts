import { errorCode } from '@nodeagent/api';
import type { CgroupFiles } from './cgroup-files.js';
import type { CgroupResources } from './cgroup-resources.js';
import { type CgroupValue, cgroupValues } from './cgroup-values.js';
import { cgroupFailed } from './errors.js';
import { type CgroupHierarchy, controllerFolder } from './hierarchy.js';

/** Sets the values of an existing cgroup. Leaves out those of controllers that the machine lacks. Rejects with `CgroupFailed`. */
export async function writeValues(files: CgroupFiles, machine: CgroupHierarchy, path: string, resources: CgroupResources): Promise<void> {
  const values = cgroupValues(machine.version, resources);
  for (const [index, value] of values.entries()) {
    try {
      await writeValue(files, machine, path, value);
    } catch (error) {
      // The kernel rejects a shorter period while the quota in force exceeds it.
      const quota = values[index + 1];
      if (value.file !== 'cpu.cfs_period_us' || quota?.file !== 'cpu.cfs_quota_us') throw error;
      await writeValue(files, machine, path, quota);
      await writeValue(files, machine, path, value);
    }
  }
}

async function writeValue(
  files: CgroupFiles,
  machine: CgroupHierarchy,
  path: string,
  { controller, file, value, isOptional }: CgroupValue,
): Promise<void> {
  const folder = controllerFolder(machine, controller, path);
  if (folder === undefined) return;
  try {
    await files.write(`${folder}/${file}`, value);
  } catch (error) {
    if (isOptional && errorCode(error) === 'ENOENT') return;
    throw cgroupFailed(`set ${file} to ${value}`, path, error);
  }
}
