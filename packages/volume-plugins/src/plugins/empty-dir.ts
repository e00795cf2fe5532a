import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type EmptyDirVolumeSource, NodeAgentError, type Pod, type SetUpOptions, type VolumePlugin, volumeSources } from '@nodeagent/api';
import { podUid, Quantity, specName } from '@nodeagent/api/helpers';
import { isMountPoint, isPresent, removeUnlessMounted, setVolumeOwnership } from '@nodeagent/mount-utils';
import { volumePluginsErrorCodes } from '../errors.js';
import { hugePagesMountOption, memoryMountOptions, memoryVolumeSize } from './empty-dir-size.js';
import type { PluginPorts } from './plugin-ports.js';
import { sourceOf } from './volume-kind.js';

const pluginName = volumeSources.emptyDir.plugin;

/** Creates and removes emptyDirs, on disk or in memory; configMap, secret and similar volumes are written to them. */
export interface EmptyDirs {
  setUp(folder: PodFolder, options: Pick<SetUpOptions, 'fsGroup' | 'signal'>): Promise<void>;
  tearDown(folder: Pick<PodFolder, 'path' | 'podUid' | 'name'>, signal: AbortSignal): Promise<void>;
}

interface PodFolder {
  path: string;
  pod: Pod;
  podUid: string;
  /** The volume's name in the pod. */
  name: string;
  source: EmptyDirVolumeSource;
}

export function createEmptyDirs({ paths, mounter, sources, logger }: PluginPorts): EmptyDirs {
  const readyMarker = (uid: string, name: string) => join(paths.podPlugin(uid, pluginName), name, 'ready');

  async function mountMedium({ path, pod, source }: PodFolder, signal: AbortSignal): Promise<void> {
    const { medium = '' } = source;
    if (medium === '') return;
    if (medium === 'Memory') {
      const allocatable = Quantity.parse(sources.nodeAllocatable?.().memory ?? '0');
      const options = memoryMountOptions(memoryVolumeSize(allocatable, source, pod), await mounter.canRefuseSwap());
      await mounter.mount({ source: 'tmpfs', target: path, fsType: 'tmpfs', options }, signal);
    } else if (medium === 'HugePages' || medium.startsWith('HugePages-')) {
      const options = [hugePagesMountOption(medium, pod)];
      await mounter.mount({ source: 'nodev', target: path, fsType: 'hugetlbfs', options }, signal);
    } else {
      throw new NodeAgentError(volumePluginsErrorCodes.unsupportedVolume, `unknown storage medium "${medium}"`);
    }
  }

  return {
    async setUp(folder, { fsGroup, signal }) {
      const { path, podUid: uid, name, source } = folder;
      const marker = readyMarker(uid, name);
      const isMounted = source.medium ? await isMountPoint(mounter, path) : await isPresent(path);
      if (isMounted && (await isPresent(marker))) return;
      if (!source.medium || !isMounted) {
        await mkdir(path, { recursive: true, mode: 0o750 });
        // Before the mount: the root of a mounted file system keeps its mode, such as the sticky bit of a tmpfs.
        await chmod(path, 0o777);
        await mountMedium(folder, signal);
      }
      await setVolumeOwnership({ path, fsGroup, readOnly: false, signal, logger }).catch((error) => {
        signal.throwIfAborted();
        logger.warn({ err: error, path }, 'could not set the group of an emptyDir');
      });
      await mkdir(dirname(marker), { recursive: true, mode: 0o750 });
      await writeFile(marker, '', { mode: 0o640 });
    },
    async tearDown({ path, podUid: uid, name }, signal) {
      await rm(dirname(readyMarker(uid, name)), { recursive: true, force: true });
      while (await isMountPoint(mounter, path)) await mounter.unmount(path, signal);
      await removeUnlessMounted(mounter, path);
    },
  };
}

export function createEmptyDirPlugin(ports: PluginPorts): VolumePlugin {
  const folders = createEmptyDirs(ports);
  const shape = ports.shapes.emptyDir;
  return {
    ...shape.identity,
    mounter(spec, pod) {
      const name = specName(spec);
      const uid = podUid(pod);
      const path = shape.mountPath(spec, uid);
      const source = sourceOf(spec, 'emptyDir') ?? {};
      return {
        path,
        attributes: shape.attributes(spec),
        setUp: (options) => folders.setUp({ path, pod, podUid: uid, name, source }, options),
        usage: (signal) => ports.meter.folder(path, signal),
      };
    },
    unmounter(name, uid) {
      const path = shape.unmountPath(name, uid);
      return { path, tearDown: (signal) => folders.tearDown({ path, podUid: uid, name }, signal) };
    },
    constructVolumeSpec: async (name) => ({ volume: { name, emptyDir: {} }, readOnly: false }),
  };
}
