import { join } from 'node:path';
import type { SubPathRequest, VolumeNode, VolumePlugin } from '@nodeagent/api';
import { podUid, volumePaths } from '@nodeagent/api/helpers';
import { createFakeMounter, type SubPathsOptions } from '@nodeagent/mount-utils';
import type { PayloadSources } from './payload/payload-sources.js';
import { createPluginsByKind, type VolumePluginsOptions } from './plugins/create-plugins.js';
import { payloadKinds } from './plugins/payload-plugins.js';
import type { PayloadVolumeKind } from './plugins/payload-volume.js';

export interface MemoryVolumesOptions extends Pick<SubPathsOptions, 'specName'>, Pick<VolumePluginsOptions, 'rootDir' | 'tokens'> {
  /** Content of config maps, secrets and projected sources. Default: no objects. */
  sources?: PayloadSources;
}

/** The volumes of a simulated node: all operations succeed and nothing is written to disk. */
export interface MemoryVolumes {
  /** All plugins of {@link createVolumePlugins}; no volume must be attached. */
  plugins: VolumePlugin[];
  node: VolumeNode;
  prepareSubPath(request: SubPathRequest): Promise<string>;
}

/**
 * Volumes with the names, paths and attributes of real ones. Plugins read and check config maps, secrets and other content
 * as on a node, so pods wait for missing objects. They write nothing, and read no files of the machine.
 */
export function createMemoryVolumes(options: MemoryVolumesOptions): MemoryVolumes {
  const { rootDir, tokens, sources = {} } = options;
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

/** The plugin without its effects on the node. */
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
