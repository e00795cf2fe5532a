import { basename, type CgroupDriverName, cleanPath, hasBackstep } from '@nodeagent/api/helpers';
import type { PodSandboxConfig } from '@nodeagent/cri-api';
import { invalidArgument } from '../errors.js';

/** The prefix of the scopes that systemd has for containers. */
const scopePrefix = 'nodeagent';

/**
 * The cgroup of a pod that names none: `/nodeagent` for cgroupfs, so that containers and conmon of such pods are in one place; for systemd
 * its default slice.
 */
export function podCgroupParent({ linux }: PodSandboxConfig, driver: CgroupDriverName): string {
  return linux?.cgroupParent || (driver === 'cgroupfs' ? '/nodeagent' : '');
}

/**
 * The cgroup of a container as `linux.cgroupsPath`: a path below the parent for cgroupfs, `SLICE:PREFIX:ID` for systemd.
 *
 * @param parent - `cgroup_parent` of the sandbox: a path; for systemd its last element is a slice. Empty: the root, and system.slice
 * @throws NodeAgentError CRI_INVALID_ARGUMENT for a parent of the other driver
 */
export function containerCgroupPath(parent: string, id: string, driver: CgroupDriverName): string {
  checkCgroupParent(parent);
  const slice = basename(parent);
  const isSlice = slice.endsWith('.slice');
  if (driver === 'cgroupfs') {
    if (isSlice) throw otherDriver(parent, 'cgroupfs', 'systemd');
    return cleanPath(`/${parent}/${id}`);
  }
  if (!isSlice && parent !== '') throw otherDriver(parent, 'systemd', 'cgroupfs');
  return `${slice || 'system.slice'}:${scopePrefix}:${id}`;
}

/** @throws NodeAgentError CRI_INVALID_ARGUMENT for a parent that leads elsewhere */
export function checkCgroupParent(parent: string): void {
  if (hasBackstep(parent) || parent.includes('\0')) throw invalidArgument('cgroup_parent', `"${parent}" must have no ".." and no NUL byte`);
}

/** crun creates a cgroup below a scope unless it gets an empty name for it; limits and usage are those of the scope. */
export const cgroupAnnotations = (driver: CgroupDriverName): Record<string, string> =>
  driver === 'systemd' ? { 'run.oci.systemd.subgroup': '' } : {};

/** The folder of a pod's cgroup below the mount point of a hierarchy, with a leading `/`. systemd puts a slice into those that its name begins with. */
export function podCgroupFolder(parent: string, driver: CgroupDriverName): string {
  if (driver === 'cgroupfs') return cleanPath(`/${parent}`);
  const words = (basename(parent) || 'system.slice').slice(0, -'.slice'.length).split('-');
  return words.map((_, index) => `/${words.slice(0, index + 1).join('-')}.slice`).join('');
}

/** The folder of a container's cgroup: see {@link podCgroupFolder}. */
export function containerCgroupFolder(parent: string, id: string, driver: CgroupDriverName): string {
  return `${cleanPath(podCgroupFolder(parent, driver))}/${driver === 'cgroupfs' ? id : `${scopePrefix}-${id}.scope`}`;
}

const otherDriver = (parent: string, driver: CgroupDriverName, other: CgroupDriverName) =>
  invalidArgument(
    'cgroup_parent',
    `"${parent}" is one of the driver ${other}, but the runtime uses ${driver}`,
    'Give the kubelet and the runtime the same cgroupDriver.',
  );
