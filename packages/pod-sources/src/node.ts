/**
 * Pods from manifest files of this machine.
 *
 * @packageDocumentation
 */
export { createFileSource, type FileSourceOptions } from './file/file-source.js';
export type { ManifestFileSystem, ManifestStat } from './file/manifest-files.js';
export type { Watch, WatchHandle } from './file/watch.js';
