import { dirname, join } from 'node:path';
import {
  type BlockMapper,
  type BlockUnmapper,
  isOperationFinished,
  type Pod,
  type PodDeviceMapPath,
  specName,
  type VolumeSpec,
} from '@nodeagent/api';
import { makeDeviceLink, removeDeviceLink } from '@nodeagent/mount-utils';
import type { CsiVolumeCapability } from '@nodeagent/plugin-api';
import { csiAccessMode } from './access.js';
import type { DriverCalls } from './calls.js';
import { type PluginContext, publishContextOf, readSecret, withDriver } from './context.js';
import { asProgress, finalFailure } from './driver-errors.js';
import { csiAttachmentName, csiBlockPaths, csiPluginName } from './names.js';
import { podInfoOf } from './pod-context.js';
import { persistentSource } from './source.js';
import { volumeUsage } from './stats.js';

const podDeviceMap = ({ paths }: PluginContext, name: string, podUid: string): PodDeviceMapPath => ({
  path: paths.podDeviceMap(podUid, csiPluginName),
  name,
});

/** Stages and publishes a raw block device. Saves the data that unpublishing needs before it calls the driver. */
export function createBlockMapper(context: PluginContext, spec: VolumeSpec, pod: Pod): BlockMapper {
  const { volume, source } = persistentSource(spec);
  const { driver, volumeHandle } = source;
  const { files, nodeName, paths } = context;
  const name = specName(spec);
  const podUid = pod.metadata?.uid ?? '';
  const { dataDir, globalMapPath, stagingPath, publishPath } = csiBlockPaths(paths, name);

  const capability = async (calls: DriverCalls): Promise<CsiVolumeCapability> => {
    const accessMode = volume.spec?.accessModes?.[0] ?? 'ReadWriteOnce';
    return { block: {}, accessMode: { mode: csiAccessMode(accessMode, await calls.can('SINGLE_NODE_MULTI_WRITER')) } };
  };

  async function saveData(): Promise<void> {
    await files.makeFolder(dataDir);
    const attachmentID = csiAttachmentName(volumeHandle, driver, nodeName);
    await files.saveData(dataDir, { specVolID: name, volumeHandle, driverName: driver, nodeName, attachmentID });
  }

  async function stage(calls: DriverCalls, signal: AbortSignal): Promise<void> {
    const doing = 'blockMapper.stageVolumeForBlock failed to get publishContext';
    const publishContext = await publishContextOf(context, driver, volumeHandle, doing, signal);
    const secrets = await readSecret(context, 'NodeStageSecretRef', source.nodeStageSecretRef, signal);
    await files.makeFolder(stagingPath);
    const volumeContext = source.volumeAttributes ?? {};
    const request = { volumeId: volumeHandle, publishContext, stagingTargetPath: stagingPath, secrets, volumeContext };
    await calls.call('nodeStageVolume', { ...request, volumeCapability: await capability(calls) }).catch((error: unknown) => {
      throw asProgress(error);
    });
  }

  return {
    globalMapPath: () => globalMapPath,
    podDeviceMapPath: () => podDeviceMap(context, name, podUid),
    setUpDevice: (outer) =>
      withDriver(context, driver, 'blockMapper.SetUpDevice failed to get CSI client', outer, async (calls, signal) => {
        const canStage = await calls.can('STAGE_UNSTAGE_VOLUME');
        try {
          await saveData();
          if (canStage) await stage(calls, signal);
        } catch (error) {
          if (isOperationFinished(error)) {
            await removeDeviceFiles(context, name).catch((failure: unknown) =>
              context.logger.error({ volume: name, err: failure }, 'could not remove the folders of a failed block device'),
            );
          }
          throw error;
        }
        return canStage ? stagingPath : '';
      }),
    mapPodDevice: (outer) =>
      withDriver(context, driver, 'blockMapper.MapPodDevice failed to get CSI client', outer, async (calls, signal) => {
        const doing = 'blockMapper.publishVolumeForBlock failed to get publishContext';
        const publishContext = await publishContextOf(context, driver, volumeHandle, doing, signal);
        const secrets = await readSecret(context, 'NodePublishSecretRef', source.nodePublishSecretRef, signal);
        const driverSpec = await context.drivers.spec(driver, signal);
        const volumeCapability = await capability(calls);
        const path = publishPath(podUid);
        await files.makeFolder(dirname(path));
        // The reconstruction after a restart finds the device by this link, so it is created before the driver is called.
        const link = join(podDeviceMap(context, name, podUid).path, name);
        const isFirst = await makeDeviceLink(link, path);
        try {
          await calls.call('nodePublishVolume', {
            volumeId: volumeHandle,
            publishContext,
            stagingTargetPath: stagingPath,
            targetPath: path,
            volumeCapability,
            readonly: spec.readOnly,
            secrets,
            volumeContext: { ...source.volumeAttributes, ...(driverSpec?.podInfoOnMount ? podInfoOf(pod, 'Persistent') : {}) },
          });
        } catch (cause) {
          const error = asProgress(cause);
          if (isFirst && isOperationFinished(error)) await removeDeviceLink(link);
          throw error;
        }
        return path;
      }),
    usage: (signal) => volumeUsage(context, spec, { uid: podUid, namespace: pod.metadata?.namespace ?? '' }, signal),
  };
}

/**
 * Unpublishes and unstages a raw block device according to its data file. Rejects if the data file is missing, unless no path of the driver
 * is left.
 */
export async function createBlockUnmapper(context: PluginContext, name: string, podUid: string): Promise<BlockUnmapper> {
  const { files, paths } = context;
  const { dataDir, publishPath, stagingPath } = csiBlockPaths(paths, name);
  const data = await files.loadData(dataDir);
  if (data === undefined) {
    const isLeft = (await files.exists(stagingPath)) || (await files.exists(dirname(publishPath('any'))));
    if (isLeft) throw finalFailure(`blockUnmapper failed to load volume data file [${dataDir}]: no such file or directory`);
    return {
      podDeviceMapPath: () => podDeviceMap(context, name, podUid),
      unmapPodDevice: async () => {},
      tearDownDevice: () => removeDeviceFiles(context, name),
    };
  }
  const { driverName = '', volumeHandle: volumeId = '' } = data;
  return {
    podDeviceMapPath: () => podDeviceMap(context, name, podUid),
    unmapPodDevice: (signal) =>
      withDriver(context, driverName, 'blockMapper.UnmapPodDevice failed to get CSI client', signal, async (calls) => {
        await calls.call('nodeUnpublishVolume', { volumeId, targetPath: publishPath(podUid) });
      }),
    tearDownDevice: (_globalMapPath, _devicePath, signal) =>
      withDriver(context, driverName, 'blockMapper.TearDownDevice failed to get CSI client', signal, async (calls) => {
        if ((await calls.can('STAGE_UNSTAGE_VOLUME')) && (await files.exists(stagingPath))) {
          await calls.call('nodeUnstageVolume', { volumeId, stagingTargetPath: stagingPath });
        }
        await removeDeviceFiles(context, name);
      }),
  };
}

/** Removes the publish folders, staging path and folder of a block device that no pod uses. */
async function removeDeviceFiles({ files, paths }: PluginContext, name: string): Promise<void> {
  const { dataDir, publishPath, stagingPath } = csiBlockPaths(paths, name);
  await files.removeEmpty(stagingPath);
  await files.removeEmpty(dirname(publishPath('any')));
  await files.removeFolder(dirname(dataDir));
}
