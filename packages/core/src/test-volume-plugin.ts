import type { VolumePlugin, VolumeSpec } from '@nodeagent/api';
import { podUid, specName, volumePaths } from '@nodeagent/api/helpers';

/** The effects of a test's volume plugin. */
interface TestVolumePluginOptions extends Pick<VolumePlugin, 'name' | 'canSupport' | 'constructVolumeSpec'> {
  /** The agent's folder. Default `/var/lib/nodeagent`. */
  rootDir?: string;
  setUp(path: string, spec: VolumeSpec): Promise<void>;
  tearDown(path: string): Promise<void>;
}

/** A volume plugin that mounts at the usual paths, and whose effects the test chooses. */
export function createTestVolumePlugin(options: TestVolumePluginOptions): VolumePlugin {
  const { name, canSupport, constructVolumeSpec, rootDir = '/var/lib/nodeagent', setUp, tearDown } = options;
  const paths = volumePaths(rootDir);
  return {
    name,
    canSupport,
    volumeName: specName,
    requiresRemount: () => false,
    supportsMountOption: false,
    mounter(spec, pod) {
      const path = paths.podVolume(podUid(pod), name, specName(spec));
      return { path, attributes: { readOnly: false, managed: true, seLinuxRelabel: false }, setUp: () => setUp(path, spec) };
    },
    unmounter(volume, uid) {
      const path = paths.podVolume(uid, name, volume);
      return { path, tearDown: () => tearDown(path) };
    },
    constructVolumeSpec,
  };
}
