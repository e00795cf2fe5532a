import {
  type Clock,
  type EventRecorder,
  type Logger,
  type Metrics,
  type Node,
  noEvents,
  noMetrics,
  type ObjectGetter,
  type ObjectPatcher,
  type PersistentVolumeClaim,
  type Pod,
  requirePositive,
  silentLogger,
  systemClock,
  type VolumeNode,
  type VolumePlugin,
} from '@nodeagent/api';
import { defaultNodeName, podUid } from '@nodeagent/api/helpers';
import type { PodStates } from './populator/populator.js';
import type { ClaimGetters } from './populator/volume-spec.js';

/** Options of `createVolumeManager`. */
export interface VolumeManagerOptions extends ClaimGetters {
  /** The volume plugins. Exactly one must support a volume. */
  plugins: readonly VolumePlugin[];
  /** File system and mount operations of the node. */
  node: VolumeNode;
  /** The agent's root directory; volumes are in `pods/<uid>/volumes/...`. */
  rootDir: string;
  /** The admitted pods of this node, including those that are terminating. Called in each pass, so it must be fast. */
  pods(): readonly Pod[];
  /** How far the termination of a pod has got. Default: a pod in `pods()` runs, any other has terminated. */
  podStates?: PodStates;
  /** Whether every pod source has reported its pods: before that no volume is unmounted. Default: true, `pods()` is complete. */
  sourcesReady?(): boolean;
  /** The name of the Node that `nodes` reads. Default: the machine's host name. */
  nodeName?: string;
  /** Reads the Node. Default: none; volumes cannot be attached, as without a cluster. */
  nodes?: ObjectGetter<Node>;
  /** The Node as last read, for its labels and attached volumes. Default: unknown. */
  cachedNode?(): Node | undefined;
  /** Writes a claim's status after its volume was expanded. Default: the status is not written. */
  claimStatuses?: ObjectPatcher<PersistentVolumeClaim>;
  /**
   * Default SELinux label of containers' files, such as `system_u:object_r:container_file_t:s0`. The manager mounts a volume that one pod at
   * a time can use with the label of that pod. Default: SELinux is disabled.
   */
  seLinuxFileLabel?: string;
  settings?: Partial<VolumeManagerSettings>;
  /** Default: the system clock. */
  clock?: Clock;
  /** Default: none. */
  recorder?: EventRecorder;
  /** Default: silent. */
  logger?: Logger;
  /** Default: none. */
  metrics?: Metrics;
}

export interface VolumeManagerSettings {
  /** Whether the attach/detach controller attaches volumes (`enableControllerAttachDetach`). Default true. */
  controllerAttachDetach: boolean;
  /** How long a pod waits for its volumes, in milliseconds. Default 123000. */
  waitTimeoutMs: number;
}

/** The options with their defaults. Throws `InvalidOption`. */
export function resolveOptions(options: VolumeManagerOptions) {
  const { pods, nodes, nodeName = defaultNodeName() } = options;
  const { controllerAttachDetach = true, waitTimeoutMs = 123_000 } = options.settings ?? {};
  requirePositive('settings.waitTimeoutMs', waitTimeoutMs);
  const isAbsent = (uid: string) => !pods().some((pod) => podUid(pod) === uid);
  return {
    ...options,
    nodeName,
    getNode: nodes && ((signal: AbortSignal) => nodes.get({ name: nodeName }, { signal })),
    cachedNode: options.cachedNode ?? (() => undefined),
    sourcesReady: options.sourcesReady ?? (() => true),
    podStates: options.podStates ?? { shouldPodContainersBeTerminating: isAbsent, shouldPodRuntimeBeRemoved: isAbsent },
    settings: { controllerAttachDetach, waitTimeoutMs },
    clock: options.clock ?? systemClock,
    recorder: options.recorder ?? noEvents,
    logger: options.logger ?? silentLogger,
    metrics: options.metrics ?? noMetrics,
  };
}

export type ResolvedOptions = ReturnType<typeof resolveOptions>;
