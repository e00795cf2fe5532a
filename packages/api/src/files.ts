/**
 * Files of a node agent: checkpoints, locks between processes, and reading, replacing, walking and removing files that others may change
 * meanwhile. Needs Node.
 *
 * @packageDocumentation
 */
export { type CheckpointFileOptions, createCheckpointFile } from './files/checkpoint-file.js';
export { lockExclusively, lockOnMachine } from './files/exclusive-lock.js';
export { createFileCall, type FileCall } from './files/file-call.js';
export { handlePath, pathOnly } from './files/file-handles.js';
export { fileSystemUsage } from './files/file-system-usage.js';
export { openRegularFile, type RegularFile, readRegularFile } from './files/regular-file.js';
export { removeSmallTree, removeTree } from './files/remove-tree.js';
export { replaceFile } from './files/replace-file.js';
export {
  type CheckpointedPodResources,
  decodeResourcesCheckpoint,
  encodeResourcesCheckpoint,
  type ResourcesCheckpoint,
} from './files/resources-checkpoint.js';
export { runInThread } from './files/run-in-thread.js';
export { type ShortFolder, shortFolderPath } from './files/short-path.js';
export { createTextFile } from './files/text-file.js';
export type { TreeEntry, WalkTree } from './files/tree-entry.js';
export { unlessAbsent } from './files/unless-absent.js';
export { unlinkIfExists, unlinkIfExistsSync } from './files/unlink-if-exists.js';
export { walkTree, walkTreeInThread } from './files/walk-tree.js';
export { withPath } from './files/with-path.js';
