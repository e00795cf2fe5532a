import {
  type Clock,
  type EventRecorder,
  type Logger,
  type Mounter,
  noEvents,
  silentLogger,
  systemClock,
  type VolumePlugin,
  volumePaths,
} from '@nodeagent/api';
import { createNodeMounter } from '@nodeagent/mount-utils';
import type { PayloadSources } from '../payload/payload-sources.js';
import { createBoundPlugins } from './bound-plugins.js';
import { createEmptyDirPlugin } from './empty-dir.js';
import { createHostPathPlugin, createImagePlugin } from './host-path.js';
import { createPayloadPlugins } from './payload-plugins.js';
import type { NodeVolumeKind } from './volume-kind.js';

export interface VolumePluginsOptions {
  /** The agent's folder, such as `/var/lib/kubelet`. */
  rootDir: string;
  /** Where content comes from. Default: no objects, and an empty node. */
  sources?: PayloadSources;
  /** Default {@link createNodeMounter}. */
  mounter?: Mounter;
  /** Keeps tokens of service accounts: told which pods' may go. */
  tokens?: { deleteServiceAccountToken(podUid: string): void };
  clock?: Clock;
  logger?: Logger;
  recorder?: EventRecorder;
}

/** The plugins that need nothing but the node: all of a kubelet's but CSI. */
export function createVolumePlugins(options: VolumePluginsOptions): VolumePlugin[] {
  return Object.values(createPluginsByKind(options));
}

/** The plugins by the kind that each serves: a kind without one does not compile. */
export function createPluginsByKind(options: VolumePluginsOptions): Record<NodeVolumeKind, VolumePlugin> {
  const { rootDir, tokens, clock = systemClock, logger = silentLogger, recorder = noEvents } = options;
  const ports = {
    paths: volumePaths(rootDir),
    mounter: options.mounter ?? createNodeMounter(),
    sources: options.sources ?? { nodeAllocatable: () => ({}) },
    clock,
    logger,
    recorder,
    forgetTokens: (uid: string) => tokens?.deleteServiceAccountToken(uid),
  };
  return {
    emptyDir: createEmptyDirPlugin(ports),
    hostPath: createHostPathPlugin(),
    image: createImagePlugin(),
    ...createPayloadPlugins(ports),
    ...createBoundPlugins(ports),
  };
}
