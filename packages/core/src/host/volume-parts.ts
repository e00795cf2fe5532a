import type { Clock, EventRecorder, Logger, Metrics, Random, Startable, VolumeNode, VolumePlugin } from '@nodeagent/api';
import type { readVolumeFile, SubPaths } from '@nodeagent/mount-utils';
import type { PluginHandler } from '@nodeagent/plugin-manager';
import type { PayloadSources, TokenManager } from '@nodeagent/volume-plugins';
import type { ClusterStorage } from '../cluster/cluster-storage.js';

/** What a volume manager uses, and the components that run with it. */
export interface VolumeParts {
  plugins: readonly VolumePlugin[];
  node: VolumeNode;
  prepareSubPath: SubPaths['prepare'];
  /** Same contract as {@link readVolumeFile}. */
  readFile: typeof readVolumeFile;
  /** Components to start, in this order. */
  members: readonly Startable[];
  /** Why the node's storage is not ready; undefined if it is. */
  notReadyReason(): string | undefined;
}

export interface VolumePartsOptions {
  rootDir: string;
  nodeName: string;
  /** Whether mounts below `rootDir` propagate between the node and containers. */
  isRootShared: boolean;
  sources: PayloadSources;
  tokens: TokenManager;
  /** The name of a pod's volume in the directory layout. */
  specName(podUid: string, volumeName: string): string | undefined;
  storage: Partial<ClusterStorage>;
  /** Handlers of plugins other than CSI drivers, by plugin type. Default: none. */
  pluginHandlers?: Readonly<Record<string, PluginHandler>> | undefined;
  /** Whether SELinux is enabled on the node. */
  selinux: boolean;
  /** Aborted when the agent stops. */
  signal: AbortSignal;
  clock: Clock;
  random: Random;
  recorder: EventRecorder;
  logger: Logger;
  metrics: Metrics;
}
