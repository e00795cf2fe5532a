import type { VolumePlugin } from '@nodeagent/api';
import { podUid, specName, volumePaths } from '@nodeagent/api/helpers';
import { csiPluginName, csiTargetPath, csiVolumeName } from './names.js';
import { driverOf, persistentSource } from './source.js';

/** Options of {@link createMemoryCsiPlugin}. */
export interface MemoryCsiPluginOptions {
  /** The agent's root directory, such as `/var/lib/kubelet`. */
  rootDir: string;
}

/**
 * The CSI volumes of a simulated node: with the names, paths and attributes of real ones, but without calls of drivers and without disk writes.
 * It has no block devices, and no volume must be attached.
 */
export function createMemoryCsiPlugin(options: MemoryCsiPluginOptions): VolumePlugin {
  const { rootDir } = options;
  const paths = volumePaths(rootDir);
  return {
    name: csiPluginName,
    canSupport: (spec) => driverOf(spec) !== undefined,
    volumeName(spec) {
      const { driver, volumeHandle } = persistentSource(spec).source;
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
