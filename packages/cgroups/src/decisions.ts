/**
 * The pure functions of cgroups.
 *
 * @packageDocumentation
 */
export { type CgroupValue, cgroupValues } from './cgroup-values.js';
export { sharesToCpuWeight } from './cpu-weight.js';
export { isSystemdPath } from './systemd-path.js';
export { type SystemdProperty, systemdProperties } from './systemd-properties.js';
