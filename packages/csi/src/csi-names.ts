import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { apiErrorCodes, escapePluginName, NodeAgentError, type VolumePaths, volumeSources } from '@nodeagent/api';

export const csiPluginName = volumeSources.csi.plugin;
export const csiDataFileName = 'vol_data.json';
export const csiStageFolderName = 'globalmount';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** What tells a persistent volume from the others of the CSI plugin. */
export const csiVolumeName = (driver: string, volumeHandle: string) => `${driver}^${volumeHandle}`;

/** The name of the VolumeAttachment that attaches the volume to the node. */
export const csiAttachmentName = (volumeHandle: string, driver: string, nodeName: string) =>
  `csi-${sha256(`${volumeHandle}${driver}${nodeName}`)}`;

/** The handle of a volume that lives as long as its pod. */
export const csiInlineVolumeHandle = (podUid: string, volumeName: string) => `csi-${sha256(`${podUid}${volumeName}`)}`;

/** Where a volume is once for all pods of the node. Throws for a driver or a volume without a name. */
export function csiStagePath(paths: VolumePaths, driver: string, volumeHandle: string): string {
  if (driver === '') throw nameless('makeDeviceMountPath failed, csi source driver name is empty');
  if (volumeHandle === '') throw nameless('makeDeviceMountPath failed, CSIPersistentVolumeSource volume handle is empty');
  return join(paths.plugin(`${csiPluginName}/${driver}`), sha256(volumeHandle), csiStageFolderName);
}

/** Where a pod has the volume; the driver makes the last folder, the data file is beside it. */
export const csiTargetPath = (paths: VolumePaths, podUid: string, specName: string) =>
  join(paths.podVolume(podUid, csiPluginName, escapePluginName(specName)), 'mount');

/** Where raw block devices are, below the plugin's folder: a folder each, with its data in another, and two that they share. */
export const csiBlockFolderName = 'volumeDevices';
export const csiBlockDataName = 'data';
export const csiBlockSharedFolders: readonly string[] = ['staging', 'publish'];

/** Where a raw block device is. */
export interface CsiBlockPaths {
  /** Where its pods' devices are bound. */
  globalMapPath: string;
  /** The folder of the data file. */
  dataDir: string;
  stagingPath: string;
  publishPath(podUid: string): string;
}

export function csiBlockPaths(paths: VolumePaths, specName: string): CsiBlockPaths {
  const device = (path: string) => paths.plugin(`${csiPluginName}/${csiBlockFolderName}/${path}`);
  const folder = device(escapePluginName(specName));
  return {
    globalMapPath: join(folder, 'dev'),
    dataDir: join(folder, csiBlockDataName),
    stagingPath: device(`staging/${specName}`),
    publishPath: (podUid) => device(`publish/${specName}/${podUid}`),
  };
}

const nameless = (message: string) => new NodeAgentError(apiErrorCodes.invalidVolumeName, message);
