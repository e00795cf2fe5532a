import { readdirSync } from 'node:fs';
import { containerIdOfCgroup, podUidOfCgroup } from './cgroup-names.js';

/** The cgroups of pods by UID and of containers by ID, as paths below the root cgroup. */
export interface CgroupPaths {
  pods: Map<string, string>;
  containers: Map<string, string>;
}

const fullId = /^[0-9a-f]{64}$/;

/** Searches all cgroups below `folder` for these containers and any pod. Does not descend below containers. */
export function findCgroups(folder: string, isWanted: (containerId: string) => boolean): CgroupPaths {
  const found: CgroupPaths = { pods: new Map(), containers: new Map() };
  const walk = (path: string) => {
    for (const name of foldersIn(`${folder}${path}`)) {
      const below = `${path}/${name}`;
      const id = containerIdOfCgroup(name);
      if (id !== undefined && (isWanted(id) || fullId.test(id))) {
        found.containers.set(id, below);
        continue;
      }
      const uid = podUidOfCgroup(name);
      if (uid !== undefined && !found.pods.has(uid)) found.pods.set(uid, below);
      walk(below);
    }
  };
  walk('');
  return found;
}

/** Empty for a cgroup that was removed during the search. */
function foldersIn(path: string): string[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch {
    return [];
  }
}
