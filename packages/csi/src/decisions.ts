/**
 * The decisions of a node's CSI: names and paths of volumes, driver versions, the meaning of errors, and the content of the CSINode.
 *
 * @packageDocumentation
 */
export { type CsiFsGroupInput, csiAccessMode, supportsCsiFsGroup } from './access.js';
export { type CsiAttachmentStatus, csiAttachmentStatus } from './attachment.js';
export { type CsiVolumeData, formatCsiData, parseCsiData, specFromCsiData } from './data.js';
export { csiExpansionVerdict, isFinalCsiError } from './driver-errors.js';
export {
  type CsiBlockPaths,
  csiAttachmentName,
  csiBlockPaths,
  csiInlineVolumeHandle,
  csiPluginName,
  csiStagePath,
  csiTargetPath,
  csiVolumeName,
} from './names.js';
export {
  addDriverToCsiNode,
  addDriverToNode,
  type CsiNodeInfo,
  removeDriverFromCsiNode,
  removeDriverFromNode,
} from './node-objects.js';
export { type CsiVersion, chooseCsiVersion, formatCsiVersion, isLowerCsiVersion } from './versions.js';
