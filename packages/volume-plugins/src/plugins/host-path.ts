import { type HostPathVolumeSource, specName, type VolumePlugin } from '@nodeagent/api';
import { checkHostPath, type HostPathFiles, nodeHostPathFiles } from './host-path-check.js';
import { hasSource, sourceOf } from './plugin-ports.js';

/** Files and folders of the node itself: nothing is mounted, and nothing is taken away. */
export function createHostPathPlugin(files: HostPathFiles = nodeHostPathFiles): VolumePlugin {
  return {
    name: 'kubernetes.io/host-path',
    canSupport: hasSource('hostPath'),
    volumeName: (spec) => sourceOf<HostPathVolumeSource>(spec, 'hostPath')?.path ?? '',
    requiresRemount: () => false,
    supportsMountOption: false,
    mounter(spec) {
      const source = sourceOf<HostPathVolumeSource>(spec, 'hostPath') ?? { path: '' };
      return {
        path: source.path,
        attributes: { readOnly: spec.readOnly, managed: false, seLinuxRelabel: false },
        setUp: () => checkHostPath(source, files),
      };
    },
    unmounter: () => ({ path: '', tearDown: async () => {} }),
    constructVolumeSpec: async (name, path) => ({ volume: { name, hostPath: { path } }, readOnly: false }),
  };
}

/** Content of images: the runtime finds and mounts it, the node has no path of it. */
export function createImagePlugin(): VolumePlugin {
  return {
    name: 'kubernetes.io/image',
    canSupport: hasSource('image'),
    volumeName: specName,
    requiresRemount: () => false,
    supportsMountOption: false,
    mounter: () => ({ path: '', attributes: { readOnly: true, managed: true, seLinuxRelabel: true }, setUp: async () => {} }),
    unmounter: () => ({ path: '', tearDown: async () => {} }),
    constructVolumeSpec: async (name) => ({ volume: { name, image: {} }, readOnly: true }),
  };
}
