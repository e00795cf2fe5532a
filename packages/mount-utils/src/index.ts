/**
 * File system operations for volumes: mounting and unmounting, the mount table, safe paths inside a volume,
 * `subPath`, `fsGroup`, SELinux labels, and volume usage.
 *
 * @packageDocumentation
 */
export { mountUtilsErrorCodes } from './errors.js';
export { makeDeviceLink, removeDeviceLink } from './files/device-link.js';
export type { OwnedFile, OwnershipFiles } from './files/ownership-files.js';
export { pathInRoot } from './files/path-in-root.js';
export { readRootFile, readVolumeFile } from './files/read-volume-file.js';
export { isPresent, openSubPath, safeMakeDirectory, safeOpen, type UnsafePathReason } from './files/safe-open.js';
export { ignoreMissing, unlessMissing } from './files/unless-missing.js';
export { createVolumeMeter, type VolumeMeter, type VolumeMeterOptions } from './files/volume-meter.js';
export { type OwnershipChange, setVolumeOwnership } from './files/volume-ownership.js';
export { createFakeMounter, type FakeMounter } from './mount/fake-mounter.js';
export { createFileSystemProbe, type FileSystemProbe, type FileSystemProbeOptions } from './mount/file-system-probe.js';
export { formatAndMount } from './mount/format-and-mount.js';
export { type MakeRSharedOptions, makeRShared, undoRShared } from './mount/make-rshared.js';
export { isMountPoint, mountPathOf, removeUnlessMounted } from './mount/mounter.js';
export { createNodeMounter, type NodeMounterOptions } from './mount/node-mounter.js';
export { resizeFileSystem } from './mount/resize-file-system.js';
export { createSharedRoot, type SharedRootOptions } from './mount/shared-root.js';
export { unmountWithForce } from './mount/unmount-with-force.js';
export { createSubPaths, type SubPaths, type SubPathsOptions } from './sub-paths.js';
export { createVolumeNode, type VolumeNodeOptions } from './volume-node.js';
