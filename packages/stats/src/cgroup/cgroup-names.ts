const slice = '.slice';
const scope = '.scope';
/** Prefix of the cgroup of CRI-O's monitor process. It is not a container, although its name ends with a container's ID. */
const monitorPrefix = 'crio-conmon-';

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
