import type { VolumePlugin } from '@nodeagent/api';
import { cleanPath, podUid } from '@nodeagent/api/helpers';
import { checkHostPath, type HostPathFiles } from './host-path-check.js';
import { nodeHostPathFiles } from './node-host-path-files.js';
import type { PluginPorts } from './plugin-ports.js';
import { sourceOf } from './volume-kind.js';

/** hostPath: files and folders of the node. The plugin mounts and removes nothing. */
export function createHostPathPlugin(
  { fileSystems, shapes }: Pick<PluginPorts, 'fileSystems' | 'shapes'>,
  files: HostPathFiles = nodeHostPathFiles,
): VolumePlugin {
  const shape = shapes.hostPath;
  return {
    ...shape.identity,
    mounter(spec, pod) {
      const source = sourceOf(spec, 'hostPath') ?? { path: '' };
      return {
        path: shape.mountPath(spec, podUid(pod)),
        attributes: shape.attributes(spec),
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
export function createImagePlugin({ shapes }: Pick<PluginPorts, 'shapes'>): VolumePlugin {
  const shape = shapes.image;
  return {
    ...shape.identity,
    mounter: (spec) => ({ path: '', attributes: shape.attributes(spec), setUp: async () => {} }),
    unmounter: () => ({ path: '', tearDown: async () => {} }),
    constructVolumeSpec: async (name) => ({ volume: { name, image: {} }, readOnly: true }),
  };
}
