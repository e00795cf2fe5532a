/**
 * The pure functions behind mounts: parsing the mount table, arguments of mount(8), and whether the group of a volume must change.
 *
 * @packageDocumentation
 */
export type { VolumeRoot } from './files/ownership-files.js';
export { groupMode, requiresOwnershipChange } from './files/volume-ownership.js';
export { isBoundOntoItself } from './mount/make-rshared.js';
export { inSystemdScope, mountCalls, mountLogText } from './mount/mount-arguments.js';
export { findMountRefs, hasOtherMountRefs, parseMountInfo } from './mount/mount-info.js';
export { mountOptionsOf, withSELinuxContext } from './mount/mount-options.js';
export { resizeCommand } from './mount/resize-file-system.js';
export { supportsSELinuxLabels } from './mount/selinux-support.js';
