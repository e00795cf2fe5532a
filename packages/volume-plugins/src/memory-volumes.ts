import type { SubPathRequest, Volume, VolumeMounter, VolumeNode, VolumePlugin } from '@nodeagent/api';
import { join, podUid, volumePaths } from '@nodeagent/api/helpers';
import type { SubPathsOptions } from '@nodeagent/mount-utils';
import type { PayloadSources } from './payload/payload-sources.js';
import type { VolumePluginsOptions } from './plugins/create-plugins.js';
import { type PayloadVolumeKind, payloadKinds } from './plugins/payload-kinds.js';
import { mapKinds, type NodeVolumeKind } from './plugins/volume-kind.js';
import { type VolumeShape, volumeShapes } from './plugins/volume-shapes.js';

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
  const plugins = mapKinds(volumeShapes(paths), (kind, shape) => inMemory(shape, kind, payloads[kind], files));
  const nothing = async () => {};
  const none = async () => [];
  return {
    plugins: Object.values(plugins),
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

/** The plugin of a kind without effects on a machine. */
function inMemory(
  shape: VolumeShape,
  field: NodeVolumeKind,
  payloads: PayloadVolumeKind | undefined,
  files?: MemoryVolumeFiles,
): VolumePlugin {
  return {
    ...shape.identity,
    async mounter(spec, pod) {
      const path = shape.mountPath(spec, podUid(pod));
      const setUp: VolumeMounter['setUp'] = async (options) => {
        const payload = await payloads?.payload(spec, pod, options);
        if (payload) files?.replaceContent(path, new Map([...payload].map(([name, { data }]) => [name, data])));
      };
      return { path, attributes: shape.attributes(spec), setUp };
    },
    async unmounter(volume, uid) {
      const path = shape.unmountPath(volume, uid);
      const tearDown = async () => {
        payloads?.onTearDown?.(uid);
        if (path) files?.remove(path);
      };
      return { path, tearDown };
    },
    // Nothing is reconstructed: volumes in memory end with the process.
    constructVolumeSpec: async (name) => ({ volume: { name, [field]: {} } as Volume, readOnly: false }),
  };
}
