import type { VolumePlugin, VolumeSpec } from '@nodeagent/api';
import { csiAttachmentStatus } from './attachment.js';
import { csiBlockMapper, csiBlockUnmapper } from './block.js';
import { type CsiContext, isCsiAttachable } from './context.js';
import { type CsiVolumeData, specFromCsiData } from './data.js';
import { csiAttacher, csiDeviceMounter, csiDeviceUnmounter } from './device.js';
import { csiError } from './driver-errors.js';
import { csiNodeExpand } from './expand.js';
import { csiMounter, csiUnmounter } from './mounter.js';
import { csiAttachmentName, csiBlockFolderName, csiBlockPaths, csiPluginName, csiVolumeName } from './names.js';
import { csiDriverOf, csiPersistent } from './source.js';

/**
 * The volume plugin of CSI. `updateAllocatable` is called when an attachment failed because the node has reached the driver's volume limit:
 * it writes the current limit to the CSINode.
 */
export function csiVolumePlugin(
  context: CsiContext,
  updateAllocatable: (driver: string, signal: AbortSignal) => Promise<void>,
): VolumePlugin {
  const { drivers, files, paths } = context;
  const isPersistent = (spec: VolumeSpec) => spec.persistentVolume?.spec?.csi !== undefined;
  return {
    name: csiPluginName,
    metricName: (spec) => `${csiPluginName}:${csiDriverOf(spec) ?? ''}`,
    canSupport: (spec) => csiDriverOf(spec) !== undefined,
    volumeName(spec) {
      const { driver, volumeHandle } = csiPersistent(spec).source;
      return csiVolumeName(driver, volumeHandle);
    },
    requiresRemount: (spec) => drivers.peek(csiDriverOf(spec) ?? '')?.requiresRepublish ?? false,
    supportsMountOption: true,
    supportsSELinuxContext: (spec) => drivers.peek(csiDriverOf(spec) ?? '')?.seLinuxMount ?? false,
    mounter: (spec, pod) => csiMounter(context, spec, pod),
    unmounter: (specName, podUid) => csiUnmounter(context, specName, podUid),
    async constructVolumeSpec(_specName, path) {
      const data = await files.loadData(path);
      if (data === undefined)
        throw csiError(`plugin.ConstructVolumeSpec failed loading volume data using [${path}]: no such file or directory`);
      return { ...specFromCsiData(data), ...labelOf(data) };
    },
    attachable: {
      canAttach: async (spec) => isPersistent(spec) && (await isCsiAttachable(context, csiDriverOf(spec) ?? '')),
      attacher: () => csiAttacher(context),
      async isResourceExhausted(spec, signal) {
        const { driver, volumeHandle } = csiPersistent(spec).source;
        const attachment = await context.volumeAttachments?.get(
          { name: csiAttachmentName(volumeHandle, driver, context.nodeName) },
          { signal },
        );
        if (attachment === undefined || !csiAttachmentStatus(attachment).resourceExhausted) return false;
        await updateAllocatable(driver, signal);
        return true;
      },
    },
    deviceMountable: {
      canDeviceMount: isPersistent,
      async findDevices() {
        const staged = await files.listStaged(paths.plugin(csiPluginName));
        const devices = await files.listBlockDevices(paths.plugin(`${csiPluginName}/${csiBlockFolderName}`));
        return [
          // The data file of a staged volume does not have the persistent volume's name.
          ...staged.map((data) => ({ ...specFromCsiData({ ...data, specVolID: data.volumeHandle ?? '' }), ...labelOf(data) })),
          ...devices.map((data) => specFromCsiData(data, 'Block')),
        ];
      },
      deviceMounter: () => csiDeviceMounter(context),
      deviceUnmounter: () => csiDeviceUnmounter(context),
    },
    block: {
      mapper: (spec, pod) => csiBlockMapper(context, spec, pod),
      unmapper: (specName, podUid) => csiBlockUnmapper(context, specName, podUid),
      async constructBlockVolumeSpec(_podUid, specName) {
        const { dataDir } = csiBlockPaths(paths, specName);
        const data = await files.loadData(dataDir);
        if (data === undefined)
          throw csiError(`plugin.ConstructBlockVolumeSpec failed loading volume data using [${dataDir}]: no such file or directory`);
        return specFromCsiData(data, 'Block');
      },
    },
    expandable: { requiresFSResize: true, nodeExpand: (options) => csiNodeExpand(context, options) },
  };
}

const labelOf = ({ seLinuxMountContext }: CsiVolumeData) => (seLinuxMountContext ? { seLinuxLabel: seLinuxMountContext } : {});
