import { mkdir, rm } from 'node:fs/promises';
import type { VolumePlugin } from '@nodeagent/api';
import { podUid, specName, volumePaths } from '@nodeagent/api/helpers';

export const scratchDriver = 'example.com/scratch';

export interface ScratchPluginOptions {
  /** The agent's root directory. */
  rootDir: string;
  report(line: string): void;
}

/**
 * A volume plugin: `flexVolume: { driver: example.com/scratch, options: { size } }`. Each volume is a directory that is removed with its
 * pod.
 */
export function createScratchPlugin({ rootDir, report }: ScratchPluginOptions): VolumePlugin {
  const paths = volumePaths(rootDir);
  return {
    name: scratchDriver,
    canSupport: ({ volume }) => volume?.flexVolume?.driver === scratchDriver,
    volumeName: specName,
    requiresRemount: () => false,
    supportsMountOption: false,
    mounter(spec, pod) {
      const path = paths.podVolume(podUid(pod), scratchDriver, specName(spec));
      return {
        path,
        attributes: { readOnly: false, managed: true, seLinuxRelabel: true },
        async setUp() {
          await mkdir(path, { recursive: true });
          report(`mounted ${specName(spec)}, ${spec.volume?.flexVolume?.options?.size}`);
        },
      };
    },
    unmounter(name, uid) {
      const path = paths.podVolume(uid, scratchDriver, name);
      return {
        path,
        async tearDown() {
          await rm(path, { recursive: true, force: true });
          report(`unmounted ${name}`);
        },
      };
    },
    // After an agent restart the volume is reconstructed from its directory. This plugin needs only the name to unmount it.
    constructVolumeSpec: async (name) => ({ volume: { name, flexVolume: { driver: scratchDriver } }, readOnly: false }),
  };
}
