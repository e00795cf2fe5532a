import { existsSync, readdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  errorMessage,
  invalidOptionText,
  type MountedVolume,
  NodeAgentError,
  type Pod,
  type PodSpec,
  type VolumeManager,
  type VolumePlugin,
  type VolumeSpec,
} from '@nodeagent/api';
import { fileOwners, podKey, podUid, specName, unescapePluginName, volumePaths } from '@nodeagent/api/helpers';
import { createNodeMounter, createSubPaths, type SubPaths, unlessMissing } from '@nodeagent/mount-utils';
import { volumePluginsErrorCodes } from './errors.js';
import { throwIfAny } from './payload/payload.js';
import { createVolumePlugins, type VolumePluginsOptions } from './plugins/create-plugins.js';

export interface PodVolumesOptions extends VolumePluginsOptions {
  /** Default: {@link createVolumePlugins} with the same options. */
  plugins?: readonly VolumePlugin[];
}

/** A pod with a UID and volumes; without containers for a plain process. */
export interface PodWithVolumes extends Omit<Pod, 'spec'> {
  spec?: Partial<PodSpec>;
}

/** The volumes of pods without a control loop: for a single pod, a plain process, or an agent whose pods use no claims. */
export interface PodVolumes extends VolumeManager {
  /**
   * Sets up or updates all volumes of the pod. Resolves to their paths by volume name. Rejects with `VolumeOperationFailed` naming the volume,
   * and with `InvalidOption` for a pod without a UID.
   */
  mount(pod: PodWithVolumes, signal?: AbortSignal): Promise<ReadonlyMap<string, MountedVolume>>;
  /** Tears down all volumes of the pod on disk, including those that another process set up. */
  unmount(podUid: string, signal?: AbortSignal): Promise<void>;
  readonly subPaths: SubPaths;
}

/** Rejects PersistentVolumeClaims, which need a volume manager. Calls for one pod must not overlap. */
export function createPodVolumes(options: PodVolumesOptions): PodVolumes {
  const { plugins: givenPlugins, ...pluginOptions } = options;
  const mounter = options.mounter ?? createNodeMounter();
  const plugins = givenPlugins ?? createVolumePlugins({ ...pluginOptions, mounter });
  const paths = volumePaths(options.rootDir);
  const subPaths = createSubPaths({ mounter, paths, logger: options.logger });
  const mounted = new Map<string, ReadonlyMap<string, MountedVolume>>();
  const never = new AbortController().signal;

  async function mountOne(spec: VolumeSpec, pod: Pod, signal: AbortSignal): Promise<MountedVolume> {
    const [plugin, ...others] = plugins.filter((each) => each.canSupport(spec));
    if (!plugin || others.length > 0) {
      throw new NodeAgentError(volumePluginsErrorCodes.noPlugin, `no volume plugin matched name: ${specName(spec)}`);
    }
    const volume = await plugin.mounter(spec, pod);
    const isRemount = mounted.get(podUid(pod))?.has(specName(spec)) ?? false;
    await volume.setUp({ ...fileOwners(pod), isRemount, reconstructed: false, signal });
    const { readOnly, managed, seLinuxRelabel } = volume.attributes;
    return { hostPath: volume.path, readOnly, selinuxRelabel: managed && seLinuxRelabel, specName: specName(spec) };
  }

  async function mount(mountable: PodWithVolumes, signal = never): Promise<ReadonlyMap<string, MountedVolume>> {
    const pod: Pod = { ...mountable, spec: { containers: [], ...mountable.spec } };
    if (podUid(pod) === '') {
      const hint = 'set pod.metadata.uid, for example by crypto.randomUUID(): it names the folder of the volumes, and unmount() takes it';
      throw invalidOptionText('pod.metadata.uid', `pod ${JSON.stringify(podKey(pod))} has no metadata.uid`, { hint });
    }
    const found = new Map<string, MountedVolume>(mounted.get(podUid(pod)));
    const errors: unknown[] = [];
    for (const volume of pod.spec?.volumes ?? []) {
      try {
        found.set(volume.name, await mountOne({ volume, readOnly: false }, pod, signal));
      } catch (error) {
        signal.throwIfAborted();
        const text = `MountVolume.SetUp failed for volume "${volume.name}" : ${errorMessage(error)}`;
        errors.push(new NodeAgentError(volumePluginsErrorCodes.operationFailed, text, { retryable: true, cause: error }));
      } finally {
        mounted.set(podUid(pod), found);
      }
    }
    throwIfAny(errors);
    return new Map(found);
  }

  async function unmount(uid: string, signal = never): Promise<void> {
    const root = paths.podVolumes(uid);
    for (const folder of await unlessMissing(readdir(root), [])) {
      const plugin = plugins.find(({ name }) => name === unescapePluginName(folder));
      for (const name of await unlessMissing(readdir(join(root, folder)), [])) {
        await subPaths.clean(uid, name, signal);
        await (await plugin?.unmounter(name, uid))?.tearDown(signal);
      }
    }
    mounted.delete(uid);
  }

  return {
    mount,
    unmount,
    subPaths,
    async waitForAttachAndMount(pod, signal) {
      await mount(pod, signal);
    },
    waitForUnmount: (pod, signal) => unmount(podUid(pod), signal),
    getMountedVolumesForPod: (uid) => new Map(mounted.get(uid)),
    hasPossiblyMountedVolumesForPod: (uid) => mounted.has(uid) || hasVolumes(paths.podVolumes(uid)),
  };
}

/** Whether a pod's folder has volumes; empty folders of plugins do not count. */
function hasVolumes(root: string): boolean {
  return existsSync(root) && readdirSync(root).some((plugin) => readdirSync(join(root, plugin)).length > 0);
}
