import { readdirSync } from 'node:fs';

/** The cgroups of pods by UID and of containers by ID, as paths below the root cgroup. */
export interface CgroupPaths {
  pods: Map<string, string>;
  containers: Map<string, string>;
}

const slice = '.slice';
const scope = '.scope';
/** Prefix of the cgroup of CRI-O's monitor process. It is not a container, although its name ends with a container's ID. */
const monitorPrefix = 'crio-conmon-';
const fullId = /^[0-9a-f]{64}$/;

/**
 * The UID of the pod of a cgroup, from the last element of its path: `pod<uid>` with the cgroupfs driver, and
 * `kubepods-burstable-pod<uid>.slice` with the systemd driver, which replaces each `-` of the UID by `_`.
 */
export function podUidOfCgroup(name: string): string | undefined {
  if (!name.endsWith(slice)) return name.startsWith('pod') && name.length > 3 ? name.slice(3) : undefined;
  const start = name.lastIndexOf('-pod');
  return start === -1 ? undefined : name.slice(start + 4, -slice.length).replaceAll('_', '-');
}

/** The container ID of a cgroup: its name, or the part of a scope's name after the runtime's prefix, as in `cri-containerd-<id>.scope`. */
export function containerIdOfCgroup(name: string): string | undefined {
  if (name.endsWith(slice) || name.startsWith(monitorPrefix)) return undefined;
  if (!name.endsWith(scope)) return name;
  return name.slice(name.lastIndexOf('-') + 1, -scope.length);
}

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
