/** A file system of the node: of the agent's root folder, of images, of containers' writable layers. */
export type NodeFileSystem = 'nodefs' | 'imagefs' | 'containerfs';

/** Which of the node's file systems are ones of their own. */
export interface FileSystemLayout {
  /** Images lie on another file system than the agent's root folder. */
  dedicatedImageFs: boolean;
  /** Containers' writable layers lie on another file system than images (KEP-4191). */
  splitContainerFs: boolean;
}

/** What of a pod counts for a file system: images and writable layers, logs, volumes that end with the pod. */
export type DiskMeasure = 'images' | 'root' | 'logs' | 'localVolumeSource';

/** What can be freed without ending a pod: dead containers, unused images. */
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

/** What lies on a file system: its pods are ranked by that, and that can be freed. */
export function fileSystemUse({ dedicatedImageFs, splitContainerFs }: FileSystemLayout, fileSystem: NodeFileSystem): FileSystemUse {
  if (!dedicatedImageFs) return everything;
  if (splitContainerFs) return fileSystem === 'imagefs' ? ofImages : ofPodsAndLayers;
  return fileSystem === 'nodefs' ? ofPods : ofRuntime;
}
