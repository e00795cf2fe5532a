import { dirname, join } from 'node:path';
import {
  type BlockMapper,
  type BlockUnmapper,
  type CSIPersistentVolumeSource,
  isOperationFinished,
  type PersistentVolume,
  type Pod,
  type PodDeviceMapPath,
  type VolumeSpec,
  type VolumeUsage,
} from '@nodeagent/api';
import { specName } from '@nodeagent/api/helpers';
import { makeDeviceLink, removeDeviceLink } from '@nodeagent/mount-utils';
import type { CsiVolumeCapability } from '@nodeagent/plugin-api';
import { csiAccessMode } from './access.js';
import type { DriverCalls } from './calls.js';
import { type PluginContext, publishContextOf, readSecret, withDriver } from './context.js';
import { asProgress } from './driver-errors.js';
import { finalFailure } from './failures.js';
import { type CsiBlockPaths, csiAttachmentName, csiBlockPaths, csiPluginName } from './names.js';
import { podInfoOf } from './pod-context.js';
import { persistentSource } from './source.js';
import { volumeUsage } from './stats.js';

const podDeviceMap = ({ paths }: PluginContext, name: string, podUid: string): PodDeviceMapPath => ({
  path: paths.podDeviceMap(podUid, csiPluginName),
  name,
});

/** Stages and publishes a raw block device. Saves the data that unpublishing needs before it calls the driver. */
export function createBlockMapper(context: PluginContext, spec: VolumeSpec, pod: Pod): BlockMapper {
  return new Mapper(context, spec, pod);
}

class Mapper implements BlockMapper {
  readonly #context: PluginContext;
  readonly #spec: VolumeSpec;
  readonly #pod: Pod;
  readonly #identity: { uid: string; namespace: string };
  readonly #name: string;
  readonly #volume: PersistentVolume;
  readonly #source: CSIPersistentVolumeSource;
  readonly #paths: CsiBlockPaths;

  constructor(context: PluginContext, spec: VolumeSpec, pod: Pod) {
    this.#context = context;
    this.#spec = spec;
    this.#pod = pod;
    this.#identity = { uid: pod.metadata?.uid ?? '', namespace: pod.metadata?.namespace ?? '' };
    this.#name = specName(spec);
    ({ volume: this.#volume, source: this.#source } = persistentSource(spec));
    this.#paths = csiBlockPaths(context.paths, this.#name);
  }

  globalMapPath(): string {
    return this.#paths.globalMapPath;
  }

  podDeviceMapPath(): PodDeviceMapPath {
    return podDeviceMap(this.#context, this.#name, this.#identity.uid);
  }

  setUpDevice(outer: AbortSignal): Promise<string> {
    const doing = 'blockMapper.SetUpDevice failed to get CSI client';
    return withDriver(this.#context, this.#source.driver, doing, outer, async (calls, signal) => {
      const canStage = await calls.can('STAGE_UNSTAGE_VOLUME');
      try {
        await this.#saveData();
        if (canStage) await this.#stage(calls, signal);
      } catch (error) {
        if (isOperationFinished(error)) await this.#removeFailedDevice();
        throw error;
      }
      return canStage ? this.#paths.stagingPath : '';
    });
  }

  mapPodDevice(outer: AbortSignal): Promise<string> {
    const doing = 'blockMapper.MapPodDevice failed to get CSI client';
    return withDriver(this.#context, this.#source.driver, doing, outer, async (calls, signal) => {
      const path = this.#paths.publishPath(this.#identity.uid);
      const request = await this.#publishRequest(calls, path, signal);
      await this.#context.files.makeFolder(dirname(path));
      // The reconstruction after a restart finds the device by this link, so it is created before the driver is called.
      const link = join(this.podDeviceMapPath().path, this.#name);
      const isFirst = await makeDeviceLink(link, path);
      try {
        await calls.call('nodePublishVolume', request);
      } catch (cause) {
        const error = asProgress(cause);
        if (isFirst && isOperationFinished(error)) await removeDeviceLink(link);
        throw error;
      }
      return path;
    });
  }

  usage(signal: AbortSignal): Promise<VolumeUsage> {
    return volumeUsage(this.#context, this.#spec, this.#identity, signal);
  }

  async #saveData(): Promise<void> {
    const { files, nodeName } = this.#context;
    const { driver, volumeHandle } = this.#source;
    const { dataDir } = this.#paths;
    await files.makeFolder(dataDir);
    const attachmentID = csiAttachmentName(volumeHandle, driver, nodeName);
    await files.saveData(dataDir, { specVolID: this.#name, volumeHandle, driverName: driver, nodeName, attachmentID });
  }

  async #stage(calls: DriverCalls, signal: AbortSignal): Promise<void> {
    const { driver, volumeHandle, nodeStageSecretRef, volumeAttributes = {} } = this.#source;
    const { stagingPath } = this.#paths;
    const doing = 'blockMapper.stageVolumeForBlock failed to get publishContext';
    const publishContext = await publishContextOf(this.#context, driver, volumeHandle, doing, signal);
    const secrets = await readSecret(this.#context, 'NodeStageSecretRef', nodeStageSecretRef, signal);
    await this.#context.files.makeFolder(stagingPath);
    const request = { volumeId: volumeHandle, publishContext, stagingTargetPath: stagingPath, secrets, volumeContext: volumeAttributes };
    await calls.call('nodeStageVolume', { ...request, volumeCapability: await this.#capability(calls) }).catch((error: unknown) => {
      throw asProgress(error);
    });
  }

  async #publishRequest(calls: DriverCalls, targetPath: string, signal: AbortSignal) {
    const { driver, volumeHandle, nodePublishSecretRef, volumeAttributes = {} } = this.#source;
    const doing = 'blockMapper.publishVolumeForBlock failed to get publishContext';
    const publishContext = await publishContextOf(this.#context, driver, volumeHandle, doing, signal);
    const secrets = await readSecret(this.#context, 'NodePublishSecretRef', nodePublishSecretRef, signal);
    const driverSpec = await this.#context.drivers.spec(driver, signal);
    const volumeCapability = await this.#capability(calls);
    const podInfo = driverSpec?.podInfoOnMount ? podInfoOf(this.#pod, 'Persistent') : {};
    return {
      volumeId: volumeHandle,
      publishContext,
      stagingTargetPath: this.#paths.stagingPath,
      targetPath,
      volumeCapability,
      readonly: this.#spec.readOnly,
      secrets,
      volumeContext: { ...volumeAttributes, ...podInfo },
    };
  }

  async #capability(calls: DriverCalls): Promise<CsiVolumeCapability> {
    const accessMode = this.#volume.spec?.accessModes?.[0] ?? 'ReadWriteOnce';
    return { block: {}, accessMode: { mode: csiAccessMode(accessMode, await calls.can('SINGLE_NODE_MULTI_WRITER')) } };
  }

  async #removeFailedDevice(): Promise<void> {
    await removeDeviceFiles(this.#context, this.#name).catch((error: unknown) =>
      this.#context.logger.error({ volume: this.#name, err: error }, 'could not remove the folders of a failed block device'),
    );
  }
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
