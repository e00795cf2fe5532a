import { errorCode } from '@nodeagent/api';
import type { CgroupFiles } from './cgroup-files.js';
import { type CgroupHierarchy, cgroupFolders, words } from './hierarchy.js';

/**
 * Creates the folders of a cgroup, and those of its parents if they are missing. Afterwards processes can start in it, and on version 2 it
 * has the controllers of the machine. `path` starts with `/`. Idempotent.
 */
export async function createFolders(files: CgroupFiles, machine: CgroupHierarchy, path: string): Promise<void> {
  for (const folder of cgroupFolders(machine, path)) await createFolder(files, folder);
  if (machine.version === 2) {
    await giveControllers(files, machine, path);
    return;
  }
  const cpuset = machine.controllers.get('cpuset');
  if (cpuset !== undefined) for (const file of ['cpuset.cpus', 'cpuset.mems']) await inherit(files, cpuset, path, file);
}

/** Most often only the last folder is missing. */
async function createFolder(files: CgroupFiles, folder: string): Promise<void> {
  try {
    await files.mkdir(folder);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return;
    if (errorCode(error) !== 'ENOENT' || folder === '') throw error;
    await createFolder(files, parentOf(folder));
    await files.mkdir(folder);
  }
}

/** Enables the controllers of the machine for the cgroup in each of its parents: cgroup-v2.rst, "Controlling Controllers". */
async function giveControllers(files: CgroupFiles, machine: CgroupHierarchy & { version: 2 }, path: string): Promise<void> {
  const { root } = machine;
  const given = words(await files.read(`${root}${path}/cgroup.controllers`));
  if (machine.controllers.every((controller) => given.includes(controller))) return;
  for (let end = 0; end !== -1; end = path.indexOf('/', end + 1)) await enableControllers(files, `${root}${path.slice(0, end)}`);
}

async function enableControllers(files: CgroupFiles, folder: string): Promise<void> {
  const available = words(await files.read(`${folder}/cgroup.controllers`));
  const enabled = words(await files.read(`${folder}/cgroup.subtree_control`));
  for (const controller of available) {
    // One by one: the kernel rejects a whole line for one controller that it cannot give, such as cpu with realtime processes.
    if (!enabled.includes(controller)) await files.write(`${folder}/cgroup.subtree_control`, `+${controller}`).catch(() => {});
  }
}

/**
 * A new cpuset of version 1 is empty and takes no process: it gets the CPUs and NUMA nodes of its parent. cpusets.rst. Returns the text of the
 * file.
 */
async function inherit(files: CgroupFiles, root: string, path: string, file: string): Promise<string> {
  const own = (await files.read(`${root}${path}/${file}`)).trim();
  if (own !== '' || path === '') return own;
  const inherited = await inherit(files, root, parentOf(path), file);
  await files.write(`${root}${path}/${file}`, inherited);
  return inherited;
}

const parentOf = (path: string) => path.slice(0, path.lastIndexOf('/'));
