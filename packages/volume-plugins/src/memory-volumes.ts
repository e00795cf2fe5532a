import { join } from 'node:path';
import type { SubPathRequest, VolumeNode, VolumePlugin } from '@nodeagent/api';
import { podUid, volumePaths } from '@nodeagent/api/helpers';
import { createFakeMounter, type SubPathsOptions } from '@nodeagent/mount-utils';
import type { PayloadSources } from './payload/payload-sources.js';
import { createPluginsByKind, type VolumePluginsOptions } from './plugins/create-plugins.js';
import { payloadKinds } from './plugins/payload-plugins.js';
import type { PayloadVolumeKind } from './plugins/payload-volume.js';

/** Where volumes in memory keep their files. The files that their users write are in the folders of the volumes. */
export interface MemoryVolumeFiles {
  /** Makes these files the whole content of a folder, in one step. */
  replaceContent(folder: string, files: ReadonlyMap<string, Uint8Array>): void;
  /** Makes what is at `path` visible at `target` too; creates a missing path as a folder. */
  bind(path: string, target: string): void;
  /** Removes a folder with its content; does nothing if it is missing. */
  remove(path: string): void;
}

export interface MemoryVolumesOptions extends Pick<SubPathsOptions, 'specName'>, Pick<VolumePluginsOptions, 'rootDir' | 'tokens'> {
  /** Content of config maps, secrets and projected sources. Default: no objects. */
  sources?: PayloadSources;
  /** Default: content is read and checked, but not kept. */
  files?: MemoryVolumeFiles | undefined;
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
  const { rootDir, tokens, sources = {}, files } = options;
  const paths = volumePaths(rootDir);
  const payloads: Partial<Record<string, PayloadVolumeKind>> = payloadKinds(sources, (uid) => tokens?.deleteServiceAccountToken(uid));
  const real = createPluginsByKind({ rootDir, sources, mounter: createFakeMounter() });
  const nothing = async () => {};
  const none = async () => [];
  return {
    plugins: Object.entries(real).map(([kind, plugin]) => inMemory(plugin, payloads[kind], files)),
    node: {
      list: none,
      cleanSubPaths: async (uid, name) => files?.remove(join(paths.podSubPaths(uid), name)),
      mountRefs: none,
      isDeviceOpen: async () => false,
      mapBlockDevice: nothing,
      unmapBlockDevice: nothing,
      removeBlockLink: nothing,
      removeMapPath: nothing,
      blockRefs: none,
    },
    async prepareSubPath({ pod, container, mount, mountIndex, volumePath, subPath }) {
      const uid = podUid(pod);
      const path = join(paths.podSubPaths(uid), options.specName?.(uid, mount.name) ?? mount.name, container.name, `${mountIndex}`);
      files?.bind(join(volumePath, subPath), path);
      return path;
    },
  };
}

/** The plugin without its effects on the node. */
function inMemory(plugin: VolumePlugin, kind: PayloadVolumeKind | undefined, files: MemoryVolumeFiles | undefined): VolumePlugin {
  const { name, canSupport, volumeName, requiresRemount, supportsMountOption, constructVolumeSpec } = plugin;
  return {
    name,
    canSupport,
    volumeName,
    requiresRemount,
    supportsMountOption,
    constructVolumeSpec,
    async mounter(spec, pod) {
      const volume = await plugin.mounter(spec, pod);
      const { path, attributes } = volume;
      const setUp: typeof volume.setUp = async (options) => {
        const payload = await kind?.payload(spec, pod, options);
        if (payload) files?.replaceContent(path, new Map([...payload].map(([name, { data }]) => [name, data])));
      };
      return { path, attributes, setUp };
    },
    async unmounter(volume, uid) {
      const { path } = await plugin.unmounter(volume, uid);
      const tearDown = async () => {
        kind?.onTearDown?.(uid);
        if (path) files?.remove(path);
      };
      return { path, tearDown };
    },
  };
}
