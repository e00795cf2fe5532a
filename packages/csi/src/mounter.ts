import { dirname } from 'node:path';
import {
  errorMessage,
  isOperationFinished,
  type Pod,
  type SetUpOptions,
  uncertainProgress,
  type VolumeMounter,
  type VolumeSpec,
  type VolumeUnmounter,
} from '@nodeagent/api';
import { withSELinuxContext } from '@nodeagent/mount-utils/decisions';
import type { CsiVolumeCapability } from '@nodeagent/plugin-api';
import { csiAccessMode, supportsCsiFsGroup } from './access.js';
import type { DriverCalls } from './calls.js';
import { type PluginContext, publishContextOf, readSecret, withDriver } from './context.js';
import { seLinuxData } from './data.js';
import { asProgress, finalFailure } from './driver-errors.js';
import { checkLifecycleMode, fsGroupPolicyOf } from './drivers.js';
import { csiAttachmentName, csiStagePath, csiTargetPath } from './names.js';
import { podInfoOf, serviceAccountTokens } from './pod-context.js';
import { type MountSource, mountSource } from './source.js';
import { volumeUsage } from './stats.js';

/** The volume capability of a file system mount; reads the driver's capability SINGLE_NODE_MULTI_WRITER. */
export async function mountCapability(
  calls: DriverCalls,
  {
    accessMode,
    fsType,
    mountFlags,
    mountGroup,
  }: { accessMode: string; fsType: string; mountFlags: readonly string[]; mountGroup?: number | undefined },
): Promise<CsiVolumeCapability> {
  return {
    mount: { fsType, mountFlags, ...(mountGroup === undefined ? {} : { volumeMountGroup: String(mountGroup) }) },
    accessMode: { mode: csiAccessMode(accessMode, await calls.can('SINGLE_NODE_MULTI_WRITER')) },
  };
}

/** Publishes a volume with a file system to a pod. */
export function createMounter(context: PluginContext, spec: VolumeSpec, pod: Pod): VolumeMounter {
  const podUid = pod.metadata?.uid ?? '';
  const source = mountSource(spec, { uid: podUid, namespace: pod.metadata?.namespace ?? '' });
  const path = csiTargetPath(context.paths, podUid, source.specName);
  let seLinuxRelabel = false;

  async function publish(calls: DriverCalls, options: SetUpOptions, signal: AbortSignal): Promise<boolean> {
    const { drivers, files, paths, nodeName } = context;
    const { driver, volumeHandle, mode } = source;
    const driverSpec = await drivers.spec(driver, signal);
    checkLifecycleMode(driver, driverSpec, mode);
    fsGroupPolicyOf(driverSpec);

    const isPersistent = mode === 'Persistent';
    const isStaged = isPersistent && (await calls.can('STAGE_UNSTAGE_VOLUME'));
    const publishContext = isPersistent
      ? await publishContextOf(context, driver, volumeHandle, 'mounter.SetUpAt failed to fetch publishContext', signal)
      : {};
    await files.makeFolder(dirname(path));
    const publishSecrets = await readSecret(context, 'NodePublishSecretRef', source.publishSecret, signal);
    const podInfo = driverSpec?.podInfoOnMount ? podInfoOf(pod, mode) : {};
    const tokens = await serviceAccountTokens(context, driverSpec?.tokenRequests, pod, signal);
    const tokensInSecrets = driverSpec?.serviceAccountTokenInSecrets ?? false;
    const mountsByGroup = await calls.can('VOLUME_MOUNT_GROUP');
    const { seLinuxLabel = '' } = options;
    const isRefresh = options.reconstructed || options.isRemount;
    try {
      await files.saveData(dirname(path), {
        specVolID: source.specName,
        volumeHandle,
        driverName: driver,
        nodeName,
        volumeLifecycleMode: mode,
        attachmentID: csiAttachmentName(volumeHandle, driver, nodeName),
        ...seLinuxData(seLinuxLabel),
      });
      const volumeCapability = await mountCapability(calls, {
        accessMode: source.accessMode,
        fsType: source.fsType,
        mountFlags: withSELinuxContext(source.mountOptions, seLinuxLabel),
        mountGroup: mountsByGroup ? options.fsGroup : undefined,
      });
      await calls
        .call('nodePublishVolume', {
          volumeId: volumeHandle,
          publishContext,
          stagingTargetPath: isStaged ? csiStagePath(paths, driver, volumeHandle) : '',
          targetPath: path,
          volumeCapability,
          readonly: source.readOnly,
          secrets: tokensInSecrets ? { ...publishSecrets, ...tokens } : publishSecrets,
          volumeContext: { ...source.attributes, ...podInfo, ...(tokensInSecrets ? {} : tokens) },
        })
        .catch((error: unknown) => {
          throw asProgress(error);
        });
    } catch (error) {
      // The folder of a mounted volume must stay, even if a later call fails.
      if (isOperationFinished(error) && !isRefresh) await cleanUpFailedMount(context, path);
      throw error;
    }
    return mountsByGroup;
  }

  async function afterwards(options: SetUpOptions, mountsByGroup: boolean): Promise<void> {
    const { supportsSELinux, applyFsGroup, drivers } = context;
    try {
      seLinuxRelabel = (await supportsSELinux?.(path)) ?? false;
    } catch (error) {
      throw uncertainProgress(`error checking for SELinux support: ${errorMessage(error)}`, error);
    }
    const { fsGroup, fsGroupChangePolicy: policy } = options;
    if (mountsByGroup || fsGroup === undefined || applyFsGroup === undefined) return;
    if (!isFsGroupOurs(source, fsGroup, fsGroupPolicyOf(drivers.peek(source.driver)))) return;
    try {
      const mount = { path, fsGroup, readOnly: source.readOnly, ...(policy === undefined ? {} : { policy }) };
      await applyFsGroup(mount, options.signal);
    } catch (error) {
      throw uncertainProgress(`applyFSGroup failed for vol ${source.volumeHandle}: ${errorMessage(error)}`, error);
    }
  }

  return {
    path,
    get attributes() {
      return { readOnly: source.readOnly, managed: !source.readOnly, seLinuxRelabel };
    },
    async setUp(options) {
      const doing = 'mounter.SetUpAt failed to get CSI client';
      const mountsByGroup = await withDriver(context, source.driver, doing, options.signal, (calls, signal) =>
        publish(calls, options, signal),
      );
      await afterwards(options, mountsByGroup);
    },
    usage: (signal) => volumeUsage(context, spec, { uid: podUid, namespace: pod.metadata?.namespace ?? '' }, signal),
  };
}

const isFsGroupOurs = ({ readOnly, fsType, accessModes }: MountSource, fsGroup: number, policy: string) =>
  supportsCsiFsGroup({ fsGroup, policy, readOnly, fsType, accessModes });

/** Removes the folder of a failed mount; if that fails, it is left for the next attempt. */
export async function cleanUpFailedMount({ files, logger }: PluginContext, path: string): Promise<void> {
  await files
    .removeMountFolder(path)
    .catch((error: unknown) => logger.error({ path, err: error }, 'could not remove the folder of a failed mount'));
}

/**
 * Unpublishes a pod's volume according to its data file. Rejects if the data file is missing, unless the driver was never called for
 * the volume: the data file is written before the driver creates the folder.
 */
export async function createUnmounter(context: PluginContext, specName: string, podUid: string): Promise<VolumeUnmounter> {
  const path = csiTargetPath(context.paths, podUid, specName);
  const { files } = context;
  const isPublished = await files.exists(path);
  const data = await files.loadData(dirname(path)).catch((error: unknown) => {
    if (!isPublished) return undefined;
    throw finalFailure(`unmounter failed to load volume data file [${dirname(path)}]: ${errorMessage(error)}`, error);
  });
  if (data === undefined) {
    if (!isPublished) return { path, tearDown: () => files.removeMountFolder(path) };
    throw finalFailure(`unmounter failed to load volume data file [${dirname(path)}]: no such file or directory`);
  }
  const { driverName = '', volumeHandle = '' } = data;
  return {
    path,
    async tearDown(signal) {
      try {
        await withDriver(context, driverName, 'Unmounter.TearDownAt failed to get CSI client', signal, (calls) =>
          calls.call('nodeUnpublishVolume', { volumeId: volumeHandle, targetPath: path }),
        );
        await files.removeMountFolder(path);
      } catch (error) {
        throw finalFailure(`Unmounter.TearDownAt failed: ${errorMessage(error)}`, error);
      }
    },
  };
}
