/**
 * Cgroups of version 1 and 2, by the file system or through systemd.
 *
 * @packageDocumentation
 */
export type { CgroupFiles, RunSystemd } from './cgroup-files.js';
export { type CgroupManager, type CgroupManagerOptions, createCgroupManager } from './cgroup-manager.js';
export type { CgroupResources } from './cgroup-resources.js';
export { cgroupsErrorCodes } from './errors.js';
export type { CgroupHierarchy } from './hierarchy.js';
