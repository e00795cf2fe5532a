/** A file system of the node: that of the agent's root directory, of images, of containers' writable layers. */
export type NodeFileSystem = 'nodefs' | 'imagefs' | 'containerfs';

/** Which of the node's file systems are separate. */
export interface FileSystemLayout {
  /** Images are on another file system than the agent's root directory. */
  dedicatedImageFs: boolean;
  /** Containers' writable layers are on another file system than images (KEP-4191). */
  splitContainerFs: boolean;
}

/** The parts of a pod's usage of a file system: images and writable layers, logs, ephemeral volumes. */
export type DiskMeasure = 'images' | 'root' | 'logs' | 'localVolumeSource';

/** What node-level reclaim removes: dead containers, unused images. */
export type NodeReclaim = 'containers' | 'images';

interface FileSystemUse {
  measures: readonly DiskMeasure[];
  reclaim: readonly NodeReclaim[];
}

const everything: FileSystemUse = { measures: ['images', 'root', 'logs', 'localVolumeSource'], reclaim: ['containers', 'images'] };
const ofPods: FileSystemUse = { measures: ['logs', 'localVolumeSource'], reclaim: [] };
const ofRuntime: FileSystemUse = { measures: ['root', 'images'], reclaim: ['containers', 'images'] };
const ofPodsAndLayers: FileSystemUse = { measures: ['logs', 'localVolumeSource', 'root'], reclaim: ['containers'] };
const ofImages: FileSystemUse = { measures: ['images'], reclaim: ['images'] };

/** The content of a file system, by which pods are ranked and which can be reclaimed. */
export function fileSystemUse({ dedicatedImageFs, splitContainerFs }: FileSystemLayout, fileSystem: NodeFileSystem): FileSystemUse {
  if (!dedicatedImageFs) return everything;
  if (splitContainerFs) return fileSystem === 'imagefs' ? ofImages : ofPodsAndLayers;
  return fileSystem === 'nodefs' ? ofPods : ofRuntime;
}
