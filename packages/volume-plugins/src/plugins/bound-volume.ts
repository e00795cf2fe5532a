import { mkdir, rmdir } from 'node:fs/promises';
import { type MountRequest, podReference, podUid, specName, type VolumePlugin, type VolumeSpec } from '@nodeagent/api';
import { fileSystemUsage, ignoreMissing, isMountPoint, setVolumeOwnership } from '@nodeagent/mount-utils';
import { mountOptionsOf } from '@nodeagent/mount-utils/decisions';
import type { PluginPorts } from './plugin-ports.js';
import { type NodeVolumeKind, servesKind } from './volume-kind.js';

/** A kind of volumes that are mounted into the pod's own folder. */
export interface BoundVolumeKind {
  volumeName(spec: VolumeSpec): string;
  isReadOnly(spec: VolumeSpec): boolean;
  /** What is mounted; the options of the persistent volume and `ro` are added. */
  request(spec: VolumeSpec, signal: AbortSignal): Promise<Omit<MountRequest, 'target'>>;
  /** Whether files get the pod's group. */
  ownsFiles: boolean;
  /** The source of a volume that a restart finds at a pod's path, as far as the volume's name takes it. Default: empty. */
  foundSource?(path: string): Promise<object>;
  extra?: Pick<VolumePlugin, 'deviceMountable' | 'expandable'>;
}

export function createBoundPlugin(field: NodeVolumeKind, kind: BoundVolumeKind, ports: PluginPorts): VolumePlugin {
  const { paths, mounter, logger, clock, recorder } = ports;
  const served = servesKind(field);
  const pathOf = (uid: string, name: string) => paths.podVolume(uid, served.name, name);
  return {
    ...served,
    volumeName: kind.volumeName,
    requiresRemount: () => false,
    supportsMountOption: true,
    ...kind.extra,
    mounter(spec, pod) {
      const path = pathOf(podUid(pod), specName(spec));
      const readOnly = kind.isReadOnly(spec);
      return {
        path,
        attributes: { readOnly, managed: kind.ownsFiles && !readOnly, seLinuxRelabel: kind.ownsFiles },
        async setUp({ fsGroup, fsGroupChangePolicy: policy, signal }) {
          if (await isMountPoint(mounter, path)) return;
          const request = await kind.request(spec, signal);
          await mkdir(path, { recursive: true, mode: 0o750 });
          const options = mountOptionsOf(spec.persistentVolume, [...(request.options ?? []), ...(readOnly ? ['ro'] : [])]);
          try {
            await mounter.mount({ ...request, target: path, options }, signal);
            if (!kind.ownsFiles || readOnly) return;
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
        usage: () => fileSystemUsage(path),
      };
    },
    unmounter(name, uid) {
      const path = pathOf(uid, name);
      return {
        path,
        async tearDown(signal) {
          while (await isMountPoint(mounter, path)) await mounter.unmount(path, signal);
          // Never its content: if the unmount did not work, that would be the volume's.
          await rmdir(path).catch(ignoreMissing);
        },
      };
    },
    constructVolumeSpec: async (name, path) => ({
      persistentVolume: { metadata: { name }, spec: { [field]: (await kind.foundSource?.(path)) ?? {} } },
      readOnly: false,
    }),
  };
}
