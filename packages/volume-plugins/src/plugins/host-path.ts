import type { VolumePlugin } from '@nodeagent/api';
import { cleanPath, specName } from '@nodeagent/api/helpers';
import { checkHostPath, type HostPathFiles, nodeHostPathFiles } from './host-path-check.js';
import type { PluginPorts } from './plugin-ports.js';
import { servesKind, sourceOf } from './volume-kind.js';

/** hostPath: files and folders of the node. The plugin mounts and removes nothing. */
export function createHostPathPlugin(
  { fileSystems }: Pick<PluginPorts, 'fileSystems'>,
  files: HostPathFiles = nodeHostPathFiles,
): VolumePlugin {
  return {
    ...servesKind('hostPath'),
    volumeName: (spec) => sourceOf(spec, 'hostPath')?.path ?? '',
    requiresRemount: () => false,
    supportsMountOption: false,
    mounter(spec) {
      const source = sourceOf(spec, 'hostPath') ?? { path: '' };
      return {
        path: source.path,
        attributes: { readOnly: spec.readOnly, managed: false, seLinuxRelabel: false },
        async setUp() {
          if (source.type) await fileSystems.requireAnswer(cleanPath(source.path));
          await checkHostPath(source, files);
        },
      };
    },
    unmounter: () => ({ path: '', tearDown: async () => {} }),
    constructVolumeSpec: async (name, path) => ({ volume: { name, hostPath: { path } }, readOnly: false }),
  };
}

/** image: the container runtime pulls and mounts it; the volume has no path on the node. */
export function createImagePlugin(): VolumePlugin {
  return {
    ...servesKind('image'),
    volumeName: specName,
    requiresRemount: () => false,
    supportsMountOption: false,
    mounter: () => ({ path: '', attributes: { readOnly: true, managed: true, seLinuxRelabel: true }, setUp: async () => {} }),
    unmounter: () => ({ path: '', tearDown: async () => {} }),
    constructVolumeSpec: async (name) => ({ volume: { name, image: {} }, readOnly: true }),
  };
}
