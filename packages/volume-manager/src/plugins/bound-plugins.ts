import { mkdir, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FCVolumeSource, ISCSIVolumeSource, NFSVolumeSource } from '@nodeagent/api';
import { NodeAgentError } from '@nodeagent/api';
import { volumeManagerErrorCodes } from '../errors.js';
import { formatAndMount } from '../mount/format-and-mount.js';
import { mountOptionsOf } from '../mount/mount-options.js';
import { isMountPoint } from '../mount/mounter.js';
import { specName, type VolumePlugin, type VolumeSpec } from '../plugin/volume-plugin.js';
import { type BoundVolumeKind, createBoundPlugin } from './bound-volume.js';
import { type PluginPorts, sourceOf } from './plugin-ports.js';

/**
 * local, nfs, iscsi and fc, as far as mount(8) does: the device of an iscsi or fc volume has to be on the node by its usual
 * `/dev/disk/by-path` name already, no session is opened.
 */
export function createBoundPlugins(ports: PluginPorts): VolumePlugin[] {
  return [
    local(ports),
    nfs,
    device('kubernetes.io/iscsi', 'iscsi', iscsiDevice, ports),
    device('kubernetes.io/fc', 'fc', fcDevice, ports),
  ].map((kind) => createBoundPlugin(kind, ports));
}

const nfs: BoundVolumeKind = {
  name: 'kubernetes.io/nfs',
  field: 'nfs',
  volumeName(spec) {
    const { server, path } = nfsSource(spec);
    return `${server}/${path}`;
  },
  isReadOnly: (spec) => spec.readOnly || (nfsSource(spec).readOnly ?? false),
  async request(spec) {
    const { server, path } = nfsSource(spec);
    return { source: `${server.includes(':') && !server.startsWith('[') ? `[${server}]` : server}:${path}`, fsType: 'nfs' };
  },
  ownsFiles: false,
};

const nfsSource = (spec: VolumeSpec) => sourceOf<NFSVolumeSource>(spec, 'nfs') ?? { server: '', path: '' };

interface LocalSource {
  path: string;
  fsType?: string;
}

/** A folder is bound; a device is mounted once for the node and bound from there. */
function local(ports: PluginPorts): BoundVolumeKind {
  const source = (spec: VolumeSpec) => sourceOf<LocalSource>(spec, 'local') ?? { path: '' };
  const devicePath = (spec: VolumeSpec) => join(ports.paths.plugin('kubernetes.io/local-volume'), 'mounts', specName(spec));
  const isDevice = async (spec: VolumeSpec) => (await stat(source(spec).path)).isBlockDevice();
  return {
    name: 'kubernetes.io/local-volume',
    field: 'local',
    volumeName: specName,
    isReadOnly: (spec) => spec.readOnly,
    request: async (spec) => ({ source: (await isDevice(spec)) ? devicePath(spec) : source(spec).path, options: ['bind'] }),
    ownsFiles: true,
    extra: {
      deviceMountable: mountOnce(ports, {
        canMount: isDevice,
        pathOf: devicePath,
        deviceOf: async (spec) => source(spec).path,
        fsTypeOf: (spec) => source(spec).fsType,
      }),
    },
  };
}

/** A device of the network that is mounted once for the node. */
function device(name: string, field: string, deviceOf: (spec: VolumeSpec) => string, ports: PluginPorts): BoundVolumeKind {
  const source = (spec: VolumeSpec) => sourceOf<{ readOnly?: boolean; fsType?: string }>(spec, field) ?? {};
  const pathOf = (spec: VolumeSpec) => join(ports.paths.plugin(name), encodeURIComponent(deviceOf(spec)));
  return {
    name,
    field,
    volumeName: deviceOf,
    isReadOnly: (spec) => spec.readOnly || (source(spec).readOnly ?? false),
    request: async (spec) => ({ source: pathOf(spec), options: ['bind'] }),
    ownsFiles: true,
    extra: {
      deviceMountable: mountOnce(ports, {
        canMount: async () => true,
        pathOf,
        deviceOf: async (spec) => `/dev/disk/by-path/${deviceOf(spec)}`,
        fsTypeOf: (spec) => source(spec).fsType,
      }),
    },
  };
}

function iscsiDevice(spec: VolumeSpec): string {
  const { targetPortal = '', iqn = '', lun = 0 } = sourceOf<Partial<ISCSIVolumeSource>>(spec, 'iscsi') ?? {};
  const portal = /:\d+$/.test(targetPortal) ? targetPortal : `${targetPortal}:3260`;
  return `ip-${portal}-iscsi-${iqn}-lun-${lun}`;
}

function fcDevice(spec: VolumeSpec): string {
  const { targetWWNs: [wwn] = [], lun } = sourceOf<FCVolumeSource>(spec, 'fc') ?? {};
  if (wwn === undefined || lun === undefined) {
    throw new NodeAgentError(volumeManagerErrorCodes.unsupportedVolume, 'fc: no targetWWNs and lun found in the volume');
  }
  return `fc-0x${wwn}-lun-${lun}`;
}

interface MountOnce {
  canMount(spec: VolumeSpec): Promise<boolean>;
  pathOf(spec: VolumeSpec): string;
  deviceOf(spec: VolumeSpec): Promise<string>;
  fsTypeOf(spec: VolumeSpec): string | undefined;
}

function mountOnce({ mounter }: PluginPorts, { canMount, pathOf, deviceOf, fsTypeOf }: MountOnce): VolumePlugin['deviceMountable'] {
  return {
    canDeviceMount: canMount,
    deviceMounter: () => ({
      deviceMountPath: pathOf,
      async mountDevice(spec, devicePath, target, { signal }) {
        if (await isMountPoint(mounter, target)) return;
        await mkdir(target, { recursive: true, mode: 0o750 });
        const options = mountOptionsOf(spec.persistentVolume, spec.readOnly ? ['ro'] : []);
        const source = devicePath || (await deviceOf(spec));
        await formatAndMount(mounter, { source, target, fsType: fsTypeOf(spec) || 'ext4', options }, signal);
      },
    }),
    deviceUnmounter: () => ({
      async unmountDevice(path, signal) {
        while (await isMountPoint(mounter, path)) await mounter.unmount(path, signal);
        await rmdir(path).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'ENOENT') throw error;
        });
      },
    }),
  };
}
