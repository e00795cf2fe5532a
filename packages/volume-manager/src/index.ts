/**
 * Volumes of pods: mounts those that pods need, unmounts those that none needs, as a kubelet does.
 *
 * @packageDocumentation
 */
export {
  infeasibleExpansion,
  inUseExpansion,
  transientOperationFailure,
  uncertainProgress,
  volumeManagerErrorCodes,
} from './errors.js';
export type { BlockMapping, VolumeNode } from './plugin/volume-node.js';
export { escapePluginName, unescapePluginName, type VolumePaths, volumePaths } from './plugin/volume-paths.js';
export {
  type Attacher,
  type BlockMapper,
  type BlockUnmapper,
  type DeviceMounter,
  type DeviceUnmounter,
  isBlockVolume,
  type NodeExpandOptions,
  type PodDeviceMapPath,
  type SetUpOptions,
  specName,
  type VolumeMounter,
  type VolumePlugin,
  type VolumeSpec,
  type VolumeUnmounter,
} from './plugin/volume-plugin.js';
