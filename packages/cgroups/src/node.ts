/**
 * The cgroups of this machine.
 *
 * @packageDocumentation
 */
export { machineCgroupFiles } from './machine-cgroup-files.js';
