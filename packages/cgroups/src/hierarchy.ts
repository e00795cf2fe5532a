import { NodeAgentError } from '@nodeagent/api';
import type { CgroupFiles } from './cgroup-files.js';
import { cgroupsErrorCodes } from './errors.js';

/** Where the controllers of a machine's cgroups are mounted. */
export type CgroupHierarchy =
  /**
   * Folders by controller. Controllers that are mounted together have the same one. `unified` is the folder of cgroup v2 on a hybrid machine,
   * which has no controllers; runtimes create cgroups there too.
   */
  | { version: 1; controllers: ReadonlyMap<string, string>; unified?: string }
  /** One folder for all controllers that the kernel gives to it. */
  | { version: 2; root: string; controllers: readonly string[] };

/**
 * Reads which version is mounted at `root`. A hybrid machine, whose controllers are those of version 1, is of version 1. Rejects with
 * `CgroupUnavailable` if it is neither.
 */
export async function readCgroupHierarchy(files: CgroupFiles, root: string): Promise<CgroupHierarchy> {
  const list = await files.read(`${root}/cgroup.controllers`).catch(() => undefined);
  if (list !== undefined) return { version: 2, root, controllers: words(list) };
  const controllers = new Map<string, string>();
  let unified: string | undefined;
  for (const folder of (await files.folders(root).catch(() => [])).sort()) {
    // Only a mounted controller has processes.
    const isMounted = await files.read(`${root}/${folder}/cgroup.procs`).then(
      () => true,
      () => false,
    );
    if (!isMounted) continue;
    if (folder === 'unified') unified = `${root}/${folder}`;
    else for (const controller of folder.split(',')) controllers.set(controller, `${root}/${folder}`);
  }
  if (controllers.has('memory') || controllers.has('cpu')) return { version: 1, controllers, ...(unified !== undefined && { unified }) };
  throw new NodeAgentError(cgroupsErrorCodes.cgroupUnavailable, `no cgroup file system is mounted at ${root}`, {
    hint: 'Mount cgroup2 there, or the controllers of cgroup v1 in folders below it.',
    details: { root },
  });
}

/** The folders of a cgroup, each once: one on version 2, one for each mount on version 1. `path` starts with `/`. */
export function cgroupFolders(hierarchy: CgroupHierarchy, path: string): string[] {
  if (hierarchy.version === 2) return [`${hierarchy.root}${path}`];
  return Array.from(new Set(hierarchy.controllers.values()), (root) => `${root}${path}`);
}

/** The folder of a cgroup with the files of a controller; undefined if the machine lacks the controller. */
export function controllerFolder(hierarchy: CgroupHierarchy, controller: string, path: string): string | undefined {
  if (hierarchy.version === 1) {
    const root = hierarchy.controllers.get(controller);
    return root === undefined ? undefined : `${root}${path}`;
  }
  return hierarchy.controllers.includes(controller) ? `${hierarchy.root}${path}` : undefined;
}

export const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');
