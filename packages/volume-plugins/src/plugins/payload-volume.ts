import type { Pod, SetUpOptions, Volume, VolumePlugin, VolumeSpec } from '@nodeagent/api';
import { podUid, specName } from '@nodeagent/api/helpers';
import { safeMakeDirectory, setVolumeOwnership } from '@nodeagent/mount-utils';
import { removeLeftovers, writeAtomically } from '../atomic-writer/atomic-writer.js';
import { nestedMountPoints } from '../payload/nested-mount-points.js';
import type { Payload } from '../payload/payload.js';
import { createEmptyDirs } from './empty-dir.js';
import type { PluginPorts } from './plugin-ports.js';
import { type NodeVolumeKind, servesKind } from './volume-kind.js';

/** A kind of volumes whose files the plugin writes. */
export interface PayloadVolumeKind {
  /** Whether the files are on a tmpfs if the agent can mount. */
  isInMemory: boolean;
  payload(spec: VolumeSpec, pod: Pod, options: SetUpOptions): Promise<Payload> | Payload;
  onTearDown?(podUid: string): void;
}

/** The plugin of a payload kind. It reads the payload before it changes the disk; a failed first write leaves no files. */
export function createPayloadPlugin(field: NodeVolumeKind, kind: PayloadVolumeKind, ports: PluginPorts): VolumePlugin {
  const served = servesKind(field);
  const { clock, logger, mounter, meter, paths } = ports;
  const folders = createEmptyDirs(ports);
  const pathOf = (uid: string, name: string) => paths.podVolume(uid, served.name, name);
  const wrapped = (name: string) => `wrapped_${name}`;
  const source = { medium: kind.isInMemory && mounter.canMount ? 'Memory' : '' };
  const tearDown = (uid: string, name: string, signal: AbortSignal) =>
    folders.tearDown({ path: pathOf(uid, name), podUid: uid, name: wrapped(name) }, signal);
  return {
    ...served,
    volumeName: specName,
    requiresRemount: () => true,
    supportsMountOption: false,
    mounter(spec, pod) {
      const name = specName(spec);
      const uid = podUid(pod);
      const path = pathOf(uid, name);
      return {
        path,
        attributes: { readOnly: true, managed: true, seLinuxRelabel: true },
        async setUp(options) {
          const { fsGroup, signal } = options;
          const payload = await kind.payload(spec, pod, options);
          const nested = nestedMountPoints(name, pod);
          try {
            await folders.setUp({ path, pod, podUid: uid, name: wrapped(name), source }, { signal });
            for (const folder of nested) await safeMakeDirectory(folder, path, 0o755);
            await removeLeftovers(path);
            const setPermissions = () => setVolumeOwnership({ path, fsGroup, readOnly: true, signal, logger });
            await writeAtomically({ targetDir: path, payload, clock, setPermissions });
          } catch (error) {
            if (!options.isRemount) await tearDown(uid, name, signal);
            throw error;
          }
        },
        usage: (signal) => meter.folder(path, signal),
      };
    },
    unmounter(name, uid) {
      return {
        path: pathOf(uid, name),
        async tearDown(signal) {
          await tearDown(uid, name, signal);
          kind.onTearDown?.(uid);
        },
      };
    },
    constructVolumeSpec: async (name) => ({ volume: { name, [field]: {} } as Volume, readOnly: false }),
  };
}
