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
  type VolumeUsage,
} from '@nodeagent/api';
import { withSELinuxContext } from '@nodeagent/mount-utils/decisions';
import type { CsiVolumeCapability } from '@nodeagent/plugin-api';
import { csiAccessMode, supportsCsiFsGroup } from './access.js';
import type { DriverCalls } from './calls.js';
import { type PluginContext, publishContextOf, readSecret, withDriver } from './context.js';
import { seLinuxData } from './data.js';
import { asProgress } from './driver-errors.js';
import { checkLifecycleMode, fsGroupPolicyOf } from './drivers.js';
import { finalFailure } from './failures.js';
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
  return new Mounter(context, spec, pod);
}

class Mounter implements VolumeMounter {
  readonly path: string;
  readonly #context: PluginContext;
  readonly #spec: VolumeSpec;
  readonly #pod: Pod;
  readonly #identity: { uid: string; namespace: string };
  readonly #source: MountSource;
  #seLinuxRelabel = false;

  constructor(context: PluginContext, spec: VolumeSpec, pod: Pod) {
    this.#context = context;
    this.#spec = spec;
    this.#pod = pod;
    this.#identity = { uid: pod.metadata?.uid ?? '', namespace: pod.metadata?.namespace ?? '' };
    this.#source = mountSource(spec, this.#identity);
    this.path = csiTargetPath(context.paths, this.#identity.uid, this.#source.specName);
  }

  get attributes() {
    const { readOnly } = this.#source;
    return { readOnly, managed: !readOnly, seLinuxRelabel: this.#seLinuxRelabel };
  }

  async setUp(options: SetUpOptions): Promise<void> {
    const doing = 'mounter.SetUpAt failed to get CSI client';
    const mountsByGroup = await withDriver(this.#context, this.#source.driver, doing, options.signal, (calls, signal) =>
      this.#publish(calls, options, signal),
    );
    await this.#checkSELinux();
    if (!mountsByGroup) await this.#applyFsGroup(options);
  }

  usage(signal: AbortSignal): Promise<VolumeUsage> {
    return volumeUsage(this.#context, this.#spec, this.#identity, signal);
  }

  /** Calls the driver; returns whether it applies the pod's `fsGroup`. */
  async #publish(calls: DriverCalls, options: SetUpOptions, signal: AbortSignal): Promise<boolean> {
    const request = await this.#publishRequest(calls, signal);
    const mountsByGroup = await calls.can('VOLUME_MOUNT_GROUP');
    try {
      await this.#saveData(options);
      const volumeCapability = await mountCapability(calls, {
        accessMode: this.#source.accessMode,
        fsType: this.#source.fsType,
        mountFlags: withSELinuxContext(this.#source.mountOptions, options.seLinuxLabel ?? ''),
        mountGroup: mountsByGroup ? options.fsGroup : undefined,
      });
      await calls.call('nodePublishVolume', { ...request, volumeCapability }).catch((error: unknown) => {
        throw asProgress(error);
      });
    } catch (error) {
      // The folder of a mounted volume must stay, even if a later call fails.
      const isRefresh = options.reconstructed || options.isRemount;
      if (isOperationFinished(error) && !isRefresh) await cleanUpFailedMount(this.#context, this.path);
      throw error;
    }
    return mountsByGroup;
  }

  /** The request without its capability. Creates the parent of the target path. */
  async #publishRequest(calls: DriverCalls, signal: AbortSignal) {
    const { drivers, files, paths } = this.#context;
    const { driver, volumeHandle, mode, attributes } = this.#source;
    const driverSpec = await drivers.spec(driver, signal);
    checkLifecycleMode(driver, driverSpec, mode);
    fsGroupPolicyOf(driverSpec);

    const isPersistent = mode === 'Persistent';
    const isStaged = isPersistent && (await calls.can('STAGE_UNSTAGE_VOLUME'));
    const publishContext = isPersistent
      ? await publishContextOf(this.#context, driver, volumeHandle, 'mounter.SetUpAt failed to fetch publishContext', signal)
      : {};
    await files.makeFolder(dirname(this.path));
    const secrets = await readSecret(this.#context, 'NodePublishSecretRef', this.#source.publishSecret, signal);
    const podInfo = driverSpec?.podInfoOnMount ? podInfoOf(this.#pod, mode) : {};
    const tokens = await serviceAccountTokens(this.#context, driverSpec?.tokenRequests, this.#pod, signal);
    const tokensInSecrets = driverSpec?.serviceAccountTokenInSecrets ?? false;
    return {
      volumeId: volumeHandle,
      publishContext,
      stagingTargetPath: isStaged ? csiStagePath(paths, driver, volumeHandle) : '',
      targetPath: this.path,
      readonly: this.#source.readOnly,
      secrets: tokensInSecrets ? { ...secrets, ...tokens } : secrets,
      volumeContext: { ...attributes, ...podInfo, ...(tokensInSecrets ? {} : tokens) },
    };
  }

  async #saveData({ seLinuxLabel = '' }: SetUpOptions): Promise<void> {
    const { files, nodeName } = this.#context;
    const { specName, driver, volumeHandle, mode } = this.#source;
    await files.saveData(dirname(this.path), {
      specVolID: specName,
      volumeHandle,
      driverName: driver,
      nodeName,
      volumeLifecycleMode: mode,
      attachmentID: csiAttachmentName(volumeHandle, driver, nodeName),
      ...seLinuxData(seLinuxLabel),
    });
  }

  async #checkSELinux(): Promise<void> {
    try {
      this.#seLinuxRelabel = (await this.#context.supportsSELinux?.(this.path)) ?? false;
    } catch (error) {
      throw uncertainProgress(`error checking for SELinux support: ${errorMessage(error)}`, error);
    }
  }

  async #applyFsGroup({ fsGroup, fsGroupChangePolicy: policy, signal }: SetUpOptions): Promise<void> {
    const { applyFsGroup, drivers } = this.#context;
    const { driver, volumeHandle, readOnly, fsType, accessModes } = this.#source;
    if (fsGroup === undefined || applyFsGroup === undefined) return;
    const driverPolicy = fsGroupPolicyOf(drivers.peek(driver));
    if (!supportsCsiFsGroup({ fsGroup, policy: driverPolicy, readOnly, fsType, accessModes })) return;
    try {
      await applyFsGroup({ path: this.path, fsGroup, readOnly, ...(policy === undefined ? {} : { policy }) }, signal);
    } catch (error) {
      throw uncertainProgress(`applyFSGroup failed for vol ${volumeHandle}: ${errorMessage(error)}`, error);
    }
  }
}

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
