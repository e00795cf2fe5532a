import {
  type Clock,
  type EventRecorder,
  type Logger,
  type Mounter,
  noEvents,
  silentLogger,
  systemClock,
  type VolumePlugin,
} from '@nodeagent/api';
import { volumePaths } from '@nodeagent/api/helpers';
import { createFileSystemProbe, createNodeMounter, createVolumeMeter, type FileSystemProbe } from '@nodeagent/mount-utils';
import type { PayloadSources } from '../payload/payload-sources.js';
import { createBoundPlugins } from './bound-plugins.js';
import { createEmptyDirPlugin } from './empty-dir.js';
import { createHostPathPlugin, createImagePlugin } from './host-path.js';
import { createPayloadPlugins } from './payload-plugins.js';
import type { NodeVolumeKind } from './volume-kind.js';
import { volumeShapes } from './volume-shapes.js';

export interface VolumePluginsOptions {
  /** The agent's root directory, such as `/var/lib/kubelet`. */
  rootDir: string;
  /** Content of volumes. Default: no objects. */
  sources?: PayloadSources;
  /** Default: {@link createNodeMounter}. */
  mounter?: Mounter;
  /** Default: {@link createFileSystemProbe} of the mounter. */
  fileSystems?: FileSystemProbe;
  /** Token manager that is notified when the tokens of a pod are no longer needed. Default: none. */
  tokens?: { deleteServiceAccountToken(podUid: string): void };
  clock?: Clock;
  logger?: Logger;
  recorder?: EventRecorder;
}

/** Creates all volume plugins of a kubelet except CSI. */
export function createVolumePlugins(options: VolumePluginsOptions): VolumePlugin[] {
  return Object.values(createPluginsByKind(options));
}

/** The plugins by volume source: a source without a plugin does not compile. */
function createPluginsByKind(options: VolumePluginsOptions): Record<NodeVolumeKind, VolumePlugin> {
  const { rootDir, tokens, clock = systemClock, logger = silentLogger, recorder = noEvents } = options;
  const mounter = options.mounter ?? createNodeMounter();
  const fileSystems = options.fileSystems ?? createFileSystemProbe({ mounter, clock });
  const paths = volumePaths(rootDir);
  const ports = {
    paths,
    shapes: volumeShapes(paths),
    mounter,
    fileSystems,
    meter: createVolumeMeter({ fileSystems }),
    sources: options.sources ?? {},
    clock,
    logger,
    recorder,
    deleteTokens: (uid: string) => tokens?.deleteServiceAccountToken(uid),
  };
  return {
    emptyDir: createEmptyDirPlugin(ports),
    hostPath: createHostPathPlugin(ports),
    image: createImagePlugin(ports),
    ...createPayloadPlugins(ports),
    ...createBoundPlugins(ports),
  };
}
