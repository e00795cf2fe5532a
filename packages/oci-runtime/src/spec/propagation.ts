import { isPathWithinBase } from '@nodeagent/api/helpers';
import type { Mount, MountPropagation } from '@nodeagent/cri-api';
import { invalidArgument } from '../errors.js';
import type { OciLinux } from './oci-spec.js';

/** The propagation of the root file system that the mounts of a request need; undefined for the runtime's default. */
export function rootPropagation(mounts: readonly Mount[]): OciLinux['rootfsPropagation'] {
  const has = (propagation: MountPropagation) => mounts.some((mount) => mount.propagation === propagation);
  if (has('PROPAGATION_BIDIRECTIONAL')) return 'rshared';
  return has('PROPAGATION_HOST_TO_CONTAINER') ? 'rslave' : undefined;
}

/** Whether {@link checkPropagation} needs the table of mounts. */
export const hasPropagation = (mounts: readonly Mount[]) => rootPropagation(mounts) !== undefined;

/**
 * Checks that mounts with propagation have a source from which it works: a shared mount, or for HostToContainer one that receives from a
 * shared one. A runtime starts the container without it. Kubernetes, "Mount propagation".
 *
 * @param source - the path of the mount on the host
 * @param mountinfo - the text of /proc/self/mountinfo: proc(5)
 * @throws NodeAgentError CRI_INVALID_ARGUMENT
 */
export function checkPropagation(source: string, propagation: MountPropagation, mountinfo: string): void {
  if (propagation === 'PROPAGATION_PRIVATE') return;
  const { path, isShared, isSlave } = mountOf(source, mountinfo);
  if (isShared || (isSlave && propagation === 'PROPAGATION_HOST_TO_CONTAINER')) return;
  const needed = propagation === 'PROPAGATION_BIDIRECTIONAL' ? 'a shared mount' : 'a shared or slave mount';
  throw invalidArgument(
    'mounts.propagation',
    `path "${source}" is mounted on "${path}" but it is not ${needed}`,
    `Run "mount --make-rshared ${path}".`,
  );
}

/** The mount that a path is on: of those that contain it the deepest, and of several at one path the last. */
function mountOf(source: string, mountinfo: string): { path: string; isShared: boolean; isSlave: boolean } {
  let found = { path: '/', isShared: false, isSlave: false };
  for (const line of mountinfo.split('\n')) {
    const [, , , , escaped, , ...rest] = line.split(' ');
    if (escaped === undefined) continue;
    const path = escaped.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
    if (path.length < found.path.length || !isPathWithinBase(source, path)) continue;
    const optional = rest.slice(0, rest.indexOf('-'));
    const has = (tag: string) => optional.some((each) => each.startsWith(tag));
    found = { path, isShared: has('shared:'), isSlave: has('master:') };
  }
  return found;
}
