import { mkdir, rmdir } from 'node:fs/promises';
import type { MountRequest, VolumePlugin, VolumeSpec } from '@nodeagent/api';
import { podReference, podUid, specName } from '@nodeagent/api/helpers';
import { ignoreMissing, isMountPoint, mountPathOf, setVolumeOwnership, unmountWithForce } from '@nodeagent/mount-utils';
import { mountOptionsOf } from '@nodeagent/mount-utils/decisions';
import { type BoundKind, boundVolumes } from './bound-volumes.js';
import type { PluginPorts } from './plugin-ports.js';

/** A kind of volumes that are mounted into the pod's folder. */
export interface BoundVolumeKind {
  /** Source, file system type and options of the mount; the caller adds the options of the persistent volume and `ro`. */
  request(spec: VolumeSpec, signal: AbortSignal): Promise<Omit<MountRequest, 'target'>>;
  /** Whether an unmount is forced after a minute, for volumes whose server may be lost. Default: no. */
  forcesUnmount?: boolean;
  /** Reconstructs the source of a volume at a pod's path after a restart, as far as the volume's name needs it. Default: empty. */
  reconstructedSource?(path: string): Promise<object>;
  extra?: Pick<VolumePlugin, 'deviceMountable' | 'expandable'>;
}

export function createBoundPlugin(field: BoundKind, kind: BoundVolumeKind, ports: PluginPorts): VolumePlugin {
  const { mounter, fileSystems, meter, logger, clock, recorder } = ports;
  const shape = ports.shapes[field];
  const { appliesFsGroup } = boundVolumes[field];

  async function unmount(path: string, signal: AbortSignal): Promise<void> {
    if (!kind.forcesUnmount) return mounter.unmount(path, signal);
    fileSystems.release(await mountPathOf(path));
    return unmountWithForce(mounter, path, { clock, logger, signal });
  }

  return {
    ...shape.identity,
    ...kind.extra,
    mounter(spec, pod) {
      const path = shape.mountPath(spec, podUid(pod));
      const attributes = shape.attributes(spec);
      const { readOnly } = attributes;
      return {
        path,
        attributes,
        async setUp({ fsGroup, fsGroupChangePolicy: policy, signal }) {
          if (await isMountPoint(mounter, path)) return;
          const request = await kind.request(spec, signal);
          await mkdir(path, { recursive: true, mode: 0o750 });
          const options = mountOptionsOf(spec.persistentVolume, [...(request.options ?? []), ...(readOnly ? ['ro'] : [])]);
          try {
            await mounter.mount({ ...request, target: path, options }, signal);
            if (!appliesFsGroup || readOnly) return;
            const report = (files: number) =>
              recorder.event(
                podReference(pod),
                'Warning',
                'VolumePermissionChangeInProgress',
                `Setting volume ownership for ${specName(spec)}, processed ${files} files.`,
              );
            await setVolumeOwnership({ path, fsGroup, policy, readOnly, signal, logger, progress: { clock, report } });
          } catch (error) {
            while (await isMountPoint(mounter, path)) await mounter.unmount(path);
            await rmdir(path);
            throw error;
          }
        },
        usage: (signal) => meter.fileSystem(path, signal),
      };
    },
    unmounter(name, uid) {
      const path = shape.unmountPath(name, uid);
      return {
        path,
        async tearDown(signal) {
          while (await isMountPoint(mounter, path)) await unmount(path, signal);
          // Never remove content: if the unmount failed, it would be the volume's data.
          await rmdir(path).catch(ignoreMissing);
        },
      };
    },
    constructVolumeSpec: async (name, path) => ({
      persistentVolume: { metadata: { name }, spec: { [field]: (await kind.reconstructedSource?.(path)) ?? {} } },
      readOnly: false,
    }),
  };
}
