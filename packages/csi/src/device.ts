import { dirname } from 'node:path';
import { type Attacher, type DeviceMounter, type DeviceUnmounter, errorMessage, isOperationFinished } from '@nodeagent/api';
import { withSELinuxContext } from '@nodeagent/mount-utils/decisions';
import { type PluginContext, publishContextOf, readSecret, requireAttachment, withDriver } from './context.js';
import { seLinuxData } from './data.js';
import { asProgress } from './driver-errors.js';
import { finalFailure } from './failures.js';
import { cleanUpFailedMount, mountCapability } from './mounter.js';
import { csiStagePath } from './names.js';
import { persistentSource } from './source.js';

/** Checks whether the attach/detach controller has attached the volume; does not attach. */
export const createAttacher = (context: PluginContext): Attacher => ({
  async waitForAttach(spec, _devicePath, _pod, signal) {
    const { driver, volumeHandle } = persistentSource(spec).source;
    const attachment = await requireAttachment(context, driver, volumeHandle, signal);
    return attachment.metadata?.name ?? '';
  },
});

/** Stages a volume once for all pods of the node, for drivers with STAGE_UNSTAGE_VOLUME. */
export const createDeviceMounter = (context: PluginContext): DeviceMounter => ({
  deviceMountPath(spec) {
    const { driver, volumeHandle } = persistentSource(spec).source;
    return csiStagePath(context.paths, driver, volumeHandle);
  },
  async mountDevice(spec, _devicePath, path, { fsGroup, seLinuxLabel = '', signal: outer }) {
    const { volume, source } = persistentSource(spec);
    const { driver, volumeHandle } = source;
    const { files } = context;
    const doing = 'attacher.MountDevice failed to create newCsiDriverClient';
    await withDriver(context, driver, doing, outer, async (calls, signal) => {
      const canStage = await calls.can('STAGE_UNSTAGE_VOLUME');
      const publishContext = await publishContextOf(
        context,
        driver,
        volumeHandle,
        'attacher.MountDevice failed to get publishContext',
        signal,
      );
      const secrets = canStage ? await readSecret(context, 'NodeStageSecretRef', source.nodeStageSecretRef, signal) : {};
      await files.makeFolder(path);
      if (!canStage) return;
      try {
        const mountsByGroup = await calls.can('VOLUME_MOUNT_GROUP');
        await files.saveData(dirname(path), { volumeHandle, driverName: driver, ...seLinuxData(seLinuxLabel) });
        const volumeCapability = await mountCapability(calls, {
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

export const createDeviceUnmounter = (context: PluginContext): DeviceUnmounter => ({
  async unmountDevice(path, signal) {
    const { files } = context;
    try {
      const data = await files.loadData(dirname(path));
      // The volume was never staged.
      if (data === undefined) return await files.removeMountFolder(path);
      const { driverName = '', volumeHandle = '' } = data;
      await withDriver(context, driverName, 'failed to create newCsiDriverClient', signal, async (calls) => {
        if (await calls.can('STAGE_UNSTAGE_VOLUME')) {
          await calls.call('nodeUnstageVolume', { volumeId: volumeHandle, stagingTargetPath: path });
        }
      });
      await files.removeMountFolder(path);
    } catch (error) {
      throw finalFailure(`attacher.UnmountDevice failed: ${errorMessage(error)}`, error);
    }
  },
});
