import type { VolumePlugin, VolumeSpec } from '@nodeagent/api';
import { csiAttachmentStatus } from './attachment.js';
import { createBlockMapper, createBlockUnmapper } from './block.js';
import { isAttachable, type PluginContext } from './context.js';
import { type CsiVolumeData, specFromCsiData } from './data.js';
import { createAttacher, createDeviceMounter, createDeviceUnmounter } from './device.js';
import { expandOnNode } from './expand.js';
import { finalFailure } from './failures.js';
import { createMounter, createUnmounter } from './mounter.js';
import { blockFolderName, csiAttachmentName, csiBlockPaths, csiPluginName, csiVolumeName } from './names.js';
import { driverOf, persistentSource } from './source.js';

/**
 * The volume plugin of CSI. `updateAllocatable` is called when an attachment failed because the node has reached the driver's volume limit:
 * it writes the current limit to the CSINode.
 */
export function createVolumePlugin(
  context: PluginContext,
  updateAllocatable: (driver: string, signal: AbortSignal) => Promise<void>,
): VolumePlugin {
  const { drivers, files, paths } = context;
  const isPersistent = (spec: VolumeSpec) => spec.persistentVolume?.spec?.csi !== undefined;
  return {
    name: csiPluginName,
    metricName: (spec) => `${csiPluginName}:${driverOf(spec) ?? ''}`,
    canSupport: (spec) => driverOf(spec) !== undefined,
    volumeName(spec) {
      const { driver, volumeHandle } = persistentSource(spec).source;
      return csiVolumeName(driver, volumeHandle);
    },
    requiresRemount: (spec) => drivers.peek(driverOf(spec) ?? '')?.requiresRepublish ?? false,
    supportsMountOption: true,
    supportsSELinuxContext: (spec) => drivers.peek(driverOf(spec) ?? '')?.seLinuxMount ?? false,
    mounter: (spec, pod) => createMounter(context, spec, pod),
    unmounter: (specName, podUid) => createUnmounter(context, specName, podUid),
    async constructVolumeSpec(_specName, path) {
      const data = await files.loadData(path);
      if (data === undefined)
        throw finalFailure(`plugin.ConstructVolumeSpec failed loading volume data using [${path}]: no such file or directory`);
      return { ...specFromCsiData(data), ...labelOf(data) };
    },
    attachable: {
      canAttach: async (spec) => isPersistent(spec) && (await isAttachable(context, driverOf(spec) ?? '')),
      attacher: () => createAttacher(context),
      async isResourceExhausted(spec, signal) {
        const { driver, volumeHandle } = persistentSource(spec).source;
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
        const devices = await files.listBlockDevices(paths.plugin(`${csiPluginName}/${blockFolderName}`));
        return [
          // The data file of a staged volume does not have the persistent volume's name.
          ...staged.map((data) => ({ ...specFromCsiData({ ...data, specVolID: data.volumeHandle ?? '' }), ...labelOf(data) })),
          ...devices.map((data) => specFromCsiData(data, 'Block')),
        ];
      },
      deviceMounter: () => createDeviceMounter(context),
      deviceUnmounter: () => createDeviceUnmounter(context),
    },
    block: {
      mapper: (spec, pod) => createBlockMapper(context, spec, pod),
      unmapper: (specName, podUid) => createBlockUnmapper(context, specName, podUid),
      async constructBlockVolumeSpec(_podUid, specName) {
        const { dataDir } = csiBlockPaths(paths, specName);
        const data = await files.loadData(dataDir);
        if (data === undefined)
          throw finalFailure(`plugin.ConstructBlockVolumeSpec failed loading volume data using [${dataDir}]: no such file or directory`);
        return specFromCsiData(data, 'Block');
      },
    },
    expandable: { requiresFSResize: true, nodeExpand: (options) => expandOnNode(context, options) },
  };
}

const labelOf = ({ seLinuxMountContext }: CsiVolumeData) => (seLinuxMountContext ? { seLinuxLabel: seLinuxMountContext } : {});
