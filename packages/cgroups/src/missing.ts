import type { CgroupFiles } from './cgroup-files.js';
import { type CgroupHierarchy, controllerFolder, words } from './hierarchy.js';

/** Controllers without which a cgroup is invalid, where the machine has them. */
const requiredControllers = ['cpu', 'cpuacct', 'cpuset', 'memory', 'pids', 'hugetlb', 'systemd'];

/**
 * What a cgroup lacks of the controllers that the kubelet needs and the machine has: the folders on version 1, the controllers on version 2,
 * or there its only folder.
 */
export async function missingIn(files: CgroupFiles, machine: CgroupHierarchy, path: string): Promise<string[]> {
  const has = machine.version === 1 ? [...machine.controllers.keys()] : machine.controllers;
  const required = requiredControllers.filter((controller) => has.includes(controller));
  if (machine.version === 2) {
    const enabled = await files.read(`${machine.root}${path}/cgroup.controllers`).then(words, () => undefined);
    return enabled === undefined ? [`${machine.root}${path}`] : required.filter((each) => !enabled.includes(each));
  }
  const folders = new Set(required.flatMap((controller) => controllerFolder(machine, controller, path) ?? []));
  const found = await Promise.all(Array.from(folders, async (folder) => ((await files.isFolder(folder)) ? [] : [folder])));
  return found.flat();
}
