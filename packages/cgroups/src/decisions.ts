/**
 * The pure functions of cgroups.
 *
 * @packageDocumentation
 */
export { type CgroupValue, cgroupValues } from './cgroup-values.js';
export { type SystemdProperty, systemdProperties } from './systemd-properties.js';
