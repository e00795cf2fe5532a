import type { Volume, VolumePlugin } from '@nodeagent/api';
import { podUid, specName } from '@nodeagent/api/helpers';
import { safeMakeDirectory, setVolumeOwnership } from '@nodeagent/mount-utils';
import { removeLeftovers, writeAtomically } from '../atomic-writer/atomic-writer.js';
import { nestedMountPoints } from '../payload/nested-mount-points.js';
import { createEmptyDirs } from './empty-dir.js';
import type { PayloadKind, PayloadVolumeKind } from './payload-kinds.js';
import type { PluginPorts } from './plugin-ports.js';

/** The plugin of a payload kind. It reads the payload before it changes the disk; a failed first write leaves no files. */
export function createPayloadPlugin(field: PayloadKind, kind: PayloadVolumeKind, ports: PluginPorts): VolumePlugin {
  const shape = ports.shapes[field];
  const { clock, logger, mounter, meter } = ports;
  const folders = createEmptyDirs(ports);
  const wrapped = (name: string) => `wrapped_${name}`;
  const source = { medium: kind.isInMemory && mounter.canMount ? 'Memory' : '' };
  const tearDown = (uid: string, name: string, signal: AbortSignal) =>
    folders.tearDown({ path: shape.unmountPath(name, uid), podUid: uid, name: wrapped(name) }, signal);
  return {
    ...shape.identity,
    mounter(spec, pod) {
      const name = specName(spec);
      const uid = podUid(pod);
      const path = shape.mountPath(spec, uid);
      return {
        path,
        attributes: shape.attributes(spec),
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
        path: shape.unmountPath(name, uid),
        async tearDown(signal) {
          await tearDown(uid, name, signal);
          kind.onTearDown?.(uid);
        },
      };
    },
    constructVolumeSpec: async (name) => ({ volume: { name, [field]: {} } as Volume, readOnly: false }),
  };
}
