/**
 * The pure functions behind mounts: what a table of mounts says, how mount(8) is called, which paths lie in which, and whether the group of
 * a volume is right.
 *
 * @packageDocumentation
 */
export { cleanPath, hasBackstep, isPathWithinBase } from './files/lexical-paths.js';
export { groupMode, requiresOwnershipChange, type VolumeRoot } from './files/volume-ownership.js';
export { isBoundOntoItself } from './mount/make-rshared.js';
export { inSystemdScope, mountCalls, mountLogText } from './mount/mount-arguments.js';
export { findMountRefs, hasOtherMountRefs, parseMountInfo } from './mount/mount-info.js';
export { mountOptionsOf, withSELinuxContext } from './mount/mount-options.js';
export { resizeCommand } from './mount/resize-file-system.js';
export { supportsSELinuxLabels } from './mount/selinux-support.js';
