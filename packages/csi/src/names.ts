import { apiErrorCodes, NodeAgentError, volumeSources } from '@nodeagent/api';
import { escapePluginName, join, sha256, type VolumePaths } from '@nodeagent/api/helpers';

export const csiPluginName = volumeSources.csi.plugin;
export const dataFileName = 'vol_data.json';
export const stageFolderName = 'globalmount';

/** The unique name of a persistent volume within the CSI plugin. */
export const csiVolumeName = (driver: string, volumeHandle: string) => `${driver}^${volumeHandle}`;

/** The name of the VolumeAttachment that attaches the volume to the node. */
export const csiAttachmentName = (volumeHandle: string, driver: string, nodeName: string) =>
  `csi-${sha256(`${volumeHandle}${driver}${nodeName}`)}`;

/** The volume handle of an ephemeral inline volume. */
export const csiInlineVolumeHandle = (podUid: string, volumeName: string) => `csi-${sha256(`${podUid}${volumeName}`)}`;

/** The staging path of a volume, shared by all pods of the node. Throws for an empty driver name or volume handle. */
export function csiStagePath(paths: VolumePaths, driver: string, volumeHandle: string): string {
  if (driver === '') throw nameless('makeDeviceMountPath failed, csi source driver name is empty');
  if (volumeHandle === '') throw nameless('makeDeviceMountPath failed, CSIPersistentVolumeSource volume handle is empty');
  return join(paths.plugin(`${csiPluginName}/${driver}`), sha256(volumeHandle), stageFolderName);
}

/** The target path of a pod's volume; the driver creates the last folder, the data file is beside it. */
export const csiTargetPath = (paths: VolumePaths, podUid: string, specName: string) =>
  join(paths.podVolume(podUid, csiPluginName, escapePluginName(specName)), 'mount');

/** Folders of raw block devices below the plugin's folder: one for each device with a data folder, and two shared ones. */
export const blockFolderName = 'volumeDevices';
export const blockDataName = 'data';
export const blockSharedFolders: readonly string[] = ['staging', 'publish'];

/** Paths of a raw block device. */
export interface CsiBlockPaths {
  /** The folder where the devices of pods are bind-mounted. */
  globalMapPath: string;
  /** The folder of the data file. */
  dataDir: string;
  stagingPath: string;
  publishPath(podUid: string): string;
}

export function csiBlockPaths(paths: VolumePaths, specName: string): CsiBlockPaths {
  const device = (path: string) => paths.plugin(`${csiPluginName}/${blockFolderName}/${path}`);
  const folder = device(escapePluginName(specName));
  return {
    globalMapPath: join(folder, 'dev'),
    dataDir: join(folder, blockDataName),
    stagingPath: device(`staging/${specName}`),
    publishPath: (podUid) => device(`publish/${specName}/${podUid}`),
  };
}

const nameless = (message: string) => new NodeAgentError(apiErrorCodes.invalidVolumeName, message);
