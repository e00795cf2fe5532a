import { join } from 'node:path';
import { podUid, type VolumeNode, type VolumePlugin, volumePaths } from '@nodeagent/api';
import { createFakeMounter, type SubPathMount, type SubPathsOptions } from '@nodeagent/mount-utils';
import type { PayloadSources } from './payload/payload-sources.js';
import { createPluginsByKind, type VolumePluginsOptions } from './plugins/create-plugins.js';
import { payloadKinds } from './plugins/payload-plugins.js';
import type { PayloadVolumeKind } from './plugins/payload-volume.js';

export interface MemoryVolumesOptions extends Pick<SubPathsOptions, 'specName'>, Pick<VolumePluginsOptions, 'rootDir' | 'tokens'> {
  /** What volumes of config maps, secrets and the like are made of. Default: no objects, and an empty node. */
  sources?: PayloadSources;
}

/** The volumes of a simulated node: everything works and nothing is on disk. */
export interface MemoryVolumes {
  /** Every kind of {@link createVolumePlugins}; nothing has to be attached. */
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
  const payloads: Partial<Record<string, PayloadVolumeKind>> = payloadKinds(sources, (uid) => tokens?.deleteServiceAccountToken(uid));
  const real = createPluginsByKind({ rootDir, sources, mounter: createFakeMounter() });
  const nothing = async () => {};
  const none = async () => [];
  return {
    plugins: Object.entries(real).map(([kind, plugin]) => inMemory(plugin, payloads[kind])),
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
