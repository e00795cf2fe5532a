import { dirname } from 'node:path';
import { type Attacher, type DeviceMounter, type DeviceUnmounter, errorMessage, isOperationFinished } from '@nodeagent/api';
import { withSELinuxContext } from '@nodeagent/mount-utils/decisions';
import { type CsiContext, csiPublishContext, csiSecret, requireCsiAttachment, withCsiDriver } from './context.js';
import { seLinuxData } from './data.js';
import { asProgress, csiError } from './driver-errors.js';
import { cleanUpFailedMount, csiMountCapability } from './mounter.js';
import { csiStagePath } from './names.js';
import { csiPersistent } from './source.js';

/** Checks whether the attach/detach controller has attached the volume; does not attach. */
export const csiAttacher = (context: CsiContext): Attacher => ({
  async waitForAttach(spec, _devicePath, _pod, signal) {
    const { driver, volumeHandle } = csiPersistent(spec).source;
    const attachment = await requireCsiAttachment(context, driver, volumeHandle, signal);
    return attachment.metadata?.name ?? '';
  },
});

/** Stages a volume once for all pods of the node, for drivers with STAGE_UNSTAGE_VOLUME. */
export const csiDeviceMounter = (context: CsiContext): DeviceMounter => ({
  deviceMountPath(spec) {
    const { driver, volumeHandle } = csiPersistent(spec).source;
    return csiStagePath(context.paths, driver, volumeHandle);
  },
  async mountDevice(spec, _devicePath, path, { fsGroup, seLinuxLabel = '', signal: outer }) {
    const { volume, source } = csiPersistent(spec);
    const { driver, volumeHandle } = source;
    const { files } = context;
    const doing = 'attacher.MountDevice failed to create newCsiDriverClient';
    await withCsiDriver(context, driver, doing, outer, async (calls, signal) => {
      const canStage = await calls.can('STAGE_UNSTAGE_VOLUME');
      const publishContext = await csiPublishContext(
        context,
        driver,
        volumeHandle,
        'attacher.MountDevice failed to get publishContext',
        signal,
      );
      const secrets = canStage ? await csiSecret(context, 'NodeStageSecretRef', source.nodeStageSecretRef, signal) : {};
      await files.makeFolder(path);
      if (!canStage) return;
      try {
        const mountsByGroup = await calls.can('VOLUME_MOUNT_GROUP');
        await files.saveData(dirname(path), { volumeHandle, driverName: driver, ...seLinuxData(seLinuxLabel) });
        const volumeCapability = await csiMountCapability(calls, {
          accessMode: volume.spec?.accessModes?.[0] ?? 'ReadWriteOnce',
          fsType: source.fsType ?? '',
          mountFlags: withSELinuxContext(volume.spec?.mountOptions ?? [], seLinuxLabel),
          mountGroup: mountsByGroup ? fsGroup : undefined,
        });
        await calls
          .call('nodeStageVolume', {
            volumeId: volumeHandle,
            publishContext,
            stagingTargetPath: path,
            volumeCapability,
            secrets,
            volumeContext: source.volumeAttributes ?? {},
          })
          .catch((error: unknown) => {
            throw asProgress(error);
          });
      } catch (error) {
        if (isOperationFinished(error)) await cleanUpFailedMount(context, path);
        throw error;
      }
    });
  },
});

export const csiDeviceUnmounter = (context: CsiContext): DeviceUnmounter => ({
  async unmountDevice(path, signal) {
    const { files } = context;
    try {
      const data = await files.loadData(dirname(path));
      // The volume was never staged.
      if (data === undefined) return await files.removeMountFolder(path);
      const { driverName = '', volumeHandle = '' } = data;
      await withCsiDriver(context, driverName, 'failed to create newCsiDriverClient', signal, async (calls) => {
        if (await calls.can('STAGE_UNSTAGE_VOLUME')) {
          await calls.call('nodeUnstageVolume', { volumeId: volumeHandle, stagingTargetPath: path });
        }
      });
      await files.removeMountFolder(path);
    } catch (error) {
      throw csiError(`attacher.UnmountDevice failed: ${errorMessage(error)}`, error);
    }
  },
});
