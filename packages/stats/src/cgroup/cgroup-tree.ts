import { readdirSync } from 'node:fs';

/** Which cgroups are pods' and containers': paths below the root of cgroups, by the pod's UID and the container's id. */
export interface CgroupPaths {
  pods: Map<string, string>;
  containers: Map<string, string>;
}

const slice = '.slice';
const scope = '.scope';
/** CRI-O's helper beside each container is no container, though its name ends with the container's id. */
const monitorPrefix = 'crio-conmon-';
const fullId = /^[0-9a-f]{64}$/;

/**
 * The pod of a cgroup, by the last element of its path: `pod<uid>` of the cgroupfs driver, `kubepods-burstable-pod<uid>.slice` of
 * systemd's, which has `_` for each `-` of the UID.
 */
export function podUidOfCgroup(name: string): string | undefined {
  if (!name.endsWith(slice)) return name.startsWith('pod') && name.length > 3 ? name.slice(3) : undefined;
  const start = name.lastIndexOf('-pod');
  return start === -1 ? undefined : name.slice(start + 4, -slice.length).replaceAll('_', '-');
}

/** The container of a cgroup: its name itself, or what follows the runtime's name in a scope, as in `cri-containerd-<id>.scope`. */
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

/** Empty for a cgroup that was removed meanwhile. */
function foldersIn(path: string): string[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch {
    return [];
  }
}
