import { mkdir, readdir, realpath, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type MountInfo, NodeAgentError, type PersistentVolume, type VolumePlugin, type VolumeSpec, volumeSources } from '@nodeagent/api';
import { specName } from '@nodeagent/api/helpers';
import { formatAndMount, ignoreMissing, isMountPoint, mountPathOf, resizeFileSystem, unlessMissing } from '@nodeagent/mount-utils';
import { mountOptionsOf } from '@nodeagent/mount-utils/decisions';
import { volumePluginsErrorCodes } from '../errors.js';
import { type BoundVolumeKind, createBoundPlugin } from './bound-volume.js';
import { type BoundKind, fc, iscsi, nfsSource } from './bound-volumes.js';
import type { PluginPorts } from './plugin-ports.js';
import { mapKinds, sourceOf } from './volume-kind.js';

/**
 * local, nfs, iscsi and fc, mounted by mount(8). The device of an iscsi or fc volume must already exist on the node under its usual
 * `/dev/disk/by-path` name; the plugin opens no session.
 */
export function createBoundPlugins(ports: PluginPorts): Record<BoundKind, VolumePlugin> {
  return mapKinds(boundKinds(ports), (kind, definition) => createBoundPlugin(kind, definition, ports));
}

function boundKinds(ports: PluginPorts): Record<BoundKind, BoundVolumeKind> {
  return { local: local(ports), nfs, iscsi: device('iscsi', iscsi, ports), fc: device('fc', fc, ports) };
}

const nfs: BoundVolumeKind = {
  async request(spec) {
    const { server, path } = nfsSource(spec);
    return { source: `${server.includes(':') && !server.startsWith('[') ? `[${server}]` : server}:${path}`, fsType: 'nfs' };
  },
  forcesUnmount: true,
};

/** A folder is bind-mounted; a device is mounted once for the node and bind-mounted from there. */
function local(ports: PluginPorts): BoundVolumeKind {
  const source = (spec: VolumeSpec) => sourceOf(spec, 'local') ?? { path: '' };
  const folder = join(ports.paths.plugin(volumeSources.local.plugin), 'mounts');
  const devicePath = (spec: VolumeSpec) => join(folder, specName(spec));
  const isDevice = async (spec: VolumeSpec) => (await stat(source(spec).path)).isBlockDevice();
  return {
    request: async (spec) => ({ source: (await isDevice(spec)) ? devicePath(spec) : source(spec).path, options: ['bind'] }),
    reconstructedSource: async (path) => ({ path: (await deviceMountOf(ports, path, folder))?.source ?? path }),
    extra: {
      deviceMountable: mountOnce(ports, {
        canMount: isDevice,
        folder,
        pathOf: devicePath,
        deviceOf: async (spec) => source(spec).path,
        fsTypeOf: (spec) => source(spec).fsType,
        specOf: (name, { source: path }) => ({ metadata: { name }, spec: { local: { path } } }),
      }),
      expandable: {
        requiresFSResize: true,
        async nodeExpand({ spec, deviceStagePath, signal }) {
          if (await isDevice(spec)) await resizeFileSystem(ports.mounter, source(spec).path, deviceStagePath, signal);
          return true;
        },
      },
    },
  };
}

/** A network device that is mounted once for the node. `sourceOfDevice` is the inverse of `deviceOf`. */
function device(
  field: 'iscsi' | 'fc',
  { deviceOf, sourceOfDevice }: { deviceOf(spec: VolumeSpec): string; sourceOfDevice(device: string): object },
  ports: PluginPorts,
): BoundVolumeKind {
  const folder = ports.paths.plugin(volumeSources[field].plugin);
  const source = (spec: VolumeSpec) => sourceOf(spec, field) ?? {};
  const pathOf = (spec: VolumeSpec) => join(folder, encodeURIComponent(deviceOf(spec)));
  return {
    request: async (spec) => ({ source: pathOf(spec), options: ['bind'] }),
    async reconstructedSource(path) {
      const mounted = await deviceMountOf(ports, path, folder);
      if (mounted === undefined) throw new NodeAgentError(volumePluginsErrorCodes.operationFailed, `no device is mounted on ${path}`);
      return sourceOfDevice(decodeURIComponent(basename(mounted.mountPoint)));
    },
    extra: {
      deviceMountable: mountOnce(ports, {
        canMount: async () => true,
        folder,
        pathOf,
        deviceOf: async (spec) => `/dev/disk/by-path/${deviceOf(spec)}`,
        fsTypeOf: (spec) => source(spec).fsType,
        specOf: (each) => ({ metadata: { name: each }, spec: { [field]: sourceOfDevice(decodeURIComponent(each)) } }),
      }),
    },
  };
}

/** Finds the mount in the plugin's folder of the device that is mounted at a pod's path. */
async function deviceMountOf({ mounter }: PluginPorts, path: string, folder: string): Promise<MountInfo | undefined> {
  const [target, mounts] = [await mountPathOf(path), await mounter.list()];
  const own = mounts.findLast(({ mountPoint }) => mountPoint === target);
  if (own === undefined) return undefined;
  const parent = await realpath(folder).catch(() => folder);
  return mounts.find(
    ({ mountPoint, major, minor, root }) =>
      dirname(mountPoint) === parent && major === own.major && minor === own.minor && root === own.root,
  );
}

interface MountOnce {
  canMount(spec: VolumeSpec): Promise<boolean>;
  /** The plugin's folder, with a folder for each device. */
  folder: string;
  pathOf(spec: VolumeSpec): string;
  deviceOf(spec: VolumeSpec): Promise<string>;
  fsTypeOf(spec: VolumeSpec): string | undefined;
  /** Reconstructs a volume from its folder's name and mount, as far as {@link MountOnce.pathOf} needs it. */
  specOf(name: string, mount: MountInfo): PersistentVolume;
}

function mountOnce({ mounter }: PluginPorts, kind: MountOnce): VolumePlugin['deviceMountable'] {
  const { canMount, folder, pathOf, deviceOf, fsTypeOf, specOf } = kind;
  return {
    canDeviceMount: canMount,
    async findDevices() {
      const found: VolumeSpec[] = [];
      const mounts = await mounter.list();
      for (const name of await unlessMissing(readdir(folder), [])) {
        const target = await mountPathOf(join(folder, name));
        const mount = mounts.findLast(({ mountPoint }) => mountPoint === target);
        if (mount !== undefined) found.push({ persistentVolume: specOf(name, mount), readOnly: false });
        // A folder with content was not created by this plugin.
        else await rmdir(target).catch(() => {});
      }
      return found;
    },
    deviceMounter: () => ({
      deviceMountPath: pathOf,
      async mountDevice(spec, devicePath, target, { signal }) {
        if (await isMountPoint(mounter, target)) return;
        await mkdir(target, { recursive: true, mode: 0o750 });
        const options = mountOptionsOf(spec.persistentVolume, spec.readOnly ? ['ro'] : []);
        const source = devicePath || (await deviceOf(spec));
        await formatAndMount(mounter, { source, target, fsType: fsTypeOf(spec) || 'ext4', options }, signal).catch(async (error) => {
          if (!(await isMountPoint(mounter, target))) await rmdir(target);
          throw error;
        });
      },
    }),
    deviceUnmounter: () => ({
      async unmountDevice(path, signal) {
        while (await isMountPoint(mounter, path)) await mounter.unmount(path, signal);
        await rmdir(path).catch(ignoreMissing);
      },
    }),
  };
}
