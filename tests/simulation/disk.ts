import { type Clock, type Pod, transientOperationFailure, type VolumePlugin, type VolumeSpec } from '@nodeagent/api';
import { podUid, specName, volumePaths } from '@nodeagent/api/helpers';
import type { NodeAgentOptions } from '@nodeagent/core/node';
import { createMemoryVolumes } from '@nodeagent/volume-plugins';

/** The volumes of a simulated machine, which stay mounted when an agent is killed. */
export interface SimulatedDisk {
  /** For one agent of the machine, on its clock: a mount in progress does not complete after a kill of the agent. */
  volumes(clock: Clock): NonNullable<NodeAgentOptions['volumes']>;
  /** `<pod UID>/<volume>` of what is mounted. */
  mounts(): string[];
  /** Duration of a mount. */
  slowMs: number;
  /** Whether mounts fail. */
  full: boolean;
  /** How often {@link slowMs} and {@link full} were hit. */
  hits: number;
  /** Whether unmounts succeed without an effect. */
  leaves: boolean;
  /** Called before each mount. */
  onMount: ((podUid: string, volume: string) => void) | undefined;
  /** Called before each unmount. */
  onUnmount: ((podUid: string, volume: string) => void) | undefined;
  /** Called after each mount and unmount. */
  onChange: (() => void) | undefined;
}

/** Whether each sync of a pod writes the volume again. */
const hasContent = ({ volume }: VolumeSpec) =>
  [volume?.configMap, volume?.secret, volume?.projected, volume?.downwardAPI].some((source) => source !== undefined);

/** A machine with one kind of volume for all volume sources. */
export function createSimulatedDisk(rootDir: string): SimulatedDisk {
  const mounted = new Map<string, { key: string; spec: VolumeSpec }>();
  const paths = volumePaths(rootDir);
  const name = 'simulated.io/disk';
  const pathOf = (spec: string, uid: string) => paths.podVolume(uid, name, spec);
  const pluginOn = (clock: Clock): VolumePlugin => ({
    name,
    canSupport: () => true,
    volumeName: specName,
    requiresRemount: hasContent,
    supportsMountOption: false,
    mounter(spec: VolumeSpec, pod: Pod) {
      const path = pathOf(specName(spec), podUid(pod));
      return {
        path,
        attributes: { readOnly: false, managed: true, seLinuxRelabel: false },
        async setUp({ signal }) {
          disk.onMount?.(podUid(pod), specName(spec));
          if (disk.full || disk.slowMs > 0) disk.hits++;
          if (disk.slowMs > 0) await clock.sleep(disk.slowMs, signal);
          if (disk.full) throw transientOperationFailure('no space left on device');
          mounted.set(path, { key: `${podUid(pod)}/${specName(spec)}`, spec });
          disk.onChange?.();
        },
      };
    },
    unmounter(volume, uid) {
      const path = pathOf(volume, uid);
      return {
        path,
        async tearDown() {
          disk.onUnmount?.(uid, volume);
          if (!disk.leaves) mounted.delete(path);
          disk.onChange?.();
        },
      };
    },
    async constructVolumeSpec(_name, path) {
      const found = mounted.get(path);
      if (found === undefined) throw new Error(`no volume is mounted at ${path}`);
      return found.spec;
    },
  });
  const disk: SimulatedDisk = {
    volumes: (clock) => ({
      plugins: [pluginOn(clock)],
      node: {
        ...createMemoryVolumes({ rootDir: rootDir }).node,
        async list(path) {
          const below = [...mounted.keys()].filter((each) => each.startsWith(`${path}/`));
          return [...new Set(below.map((each) => each.slice(path.length + 1).split('/')[0] ?? ''))];
        },
      },
    }),
    mounts: () => [...mounted.values()].map(({ key }) => key),
    slowMs: 0,
    full: false,
    hits: 0,
    leaves: false,
    onMount: undefined,
    onUnmount: undefined,
    onChange: undefined,
  };
  return disk;
}
