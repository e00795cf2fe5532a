import { join } from 'node:path';
import { podUid } from '@nodeagent/api';
import { csiPluginName, csiTargetPath, csiVolumeName } from '../csi/csi-names.js';
import { csiDriverOf, csiPersistent } from '../csi/csi-source.js';
import { createFakeMounter } from '../mount/fake-mounter.js';
import type { SubPathMount, SubPathsOptions } from '../mount/sub-paths.js';
import type { PayloadSources } from '../payload/payload-sources.js';
import type { VolumeNode } from '../plugin/volume-node.js';
import { type VolumePaths, volumePaths } from '../plugin/volume-paths.js';
import { specName, type VolumePlugin } from '../plugin/volume-plugin.js';
import { createVolumePlugins, type VolumePluginsOptions } from './create-plugins.js';
import { payloadKinds } from './payload-plugins.js';
import type { PayloadVolumeKind } from './payload-volume.js';

export interface MemoryVolumesOptions extends Pick<SubPathsOptions, 'specName'>, Pick<VolumePluginsOptions, 'rootDir' | 'tokens'> {
  /** What volumes of config maps, secrets and the like are made of. Default: no objects, and an empty node. */
  sources?: PayloadSources;
}

/** The volumes of a simulated node: everything works and nothing is on disk. */
export interface MemoryVolumes {
  /** Every kind that a node has, CSI too; of no kind raw devices, and nothing has to be attached. */
  plugins: VolumePlugin[];
  node: VolumeNode;
  prepareSubPath(request: SubPathMount): Promise<string>;
}

/**
 * Volumes with the names, paths and attributes of the real ones. Config maps, secrets and what else a volume is made of are read and
 * checked as on a node, so that pods wait for what is missing; nothing is written and nothing of the machine is looked at.
 */
export function createMemoryVolumes(options: MemoryVolumesOptions): MemoryVolumes {
  const { rootDir, tokens, sources = { nodeAllocatable: () => ({}) } } = options;
  const paths = volumePaths(rootDir);
  const kinds = payloadKinds(sources, (uid) => tokens?.deleteServiceAccountToken(uid));
  const real = createVolumePlugins({ rootDir, sources, mounter: createFakeMounter() });
  const nothing = async () => {};
  const none = async () => [];
  return {
    plugins: [
      ...real.map((plugin) =>
        inMemory(
          plugin,
          kinds.find(({ name }) => name === plugin.name),
        ),
      ),
      memoryCsi(paths),
    ],
    node: {
      list: none,
      cleanSubPaths: nothing,
      mountRefs: none,
      isDeviceOpen: async () => false,
      mapBlockDevice: nothing,
      unmapBlockDevice: nothing,
      removeBlockLink: nothing,
      removeMapPath: nothing,
      blockRefs: none,
    },
    async prepareSubPath({ pod, container, mount, mountIndex }) {
      const uid = podUid(pod);
      return join(paths.podSubPaths(uid), options.specName?.(uid, mount.name) ?? mount.name, container.name, `${mountIndex}`);
    },
  };
}

/** The plugin without what it does to the node. */
function inMemory(plugin: VolumePlugin, kind: PayloadVolumeKind | undefined): VolumePlugin {
  const { name, canSupport, volumeName, requiresRemount, supportsMountOption, constructVolumeSpec } = plugin;
  return {
    name,
    canSupport,
    volumeName,
    requiresRemount,
    supportsMountOption,
    constructVolumeSpec,
    async mounter(spec, pod) {
      const { path, attributes } = await plugin.mounter(spec, pod);
      return { path, attributes, setUp: async (options) => void (await kind?.payload(spec, pod, options)) };
    },
    async unmounter(volume, uid) {
      const { path } = await plugin.unmounter(volume, uid);
      return { path, tearDown: async () => kind?.onTearDown?.(uid) };
    },
  };
}

function memoryCsi(paths: VolumePaths): VolumePlugin {
  return {
    name: csiPluginName,
    canSupport: (spec) => csiDriverOf(spec) !== undefined,
    volumeName(spec) {
      const { driver, volumeHandle } = csiPersistent(spec).source;
      return csiVolumeName(driver, volumeHandle);
    },
    requiresRemount: () => false,
    supportsMountOption: true,
    constructVolumeSpec: async (name) => ({ volume: { name }, readOnly: false }),
    mounter: (spec, pod) => ({
      path: csiTargetPath(paths, podUid(pod), specName(spec)),
      attributes: { readOnly: spec.readOnly, managed: !spec.readOnly, seLinuxRelabel: false },
      setUp: async () => {},
    }),
    unmounter: (name, uid) => ({ path: csiTargetPath(paths, uid, name), tearDown: async () => {} }),
  };
}
