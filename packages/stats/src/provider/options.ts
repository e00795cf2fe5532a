import {
  type Clock,
  invalidOption,
  type Logger,
  type Pod,
  type PodVolumeStats,
  requirePositive,
  silentLogger,
  systemClock,
} from '@nodeagent/api';
import { defaultNodeName } from '@nodeagent/api/helpers';
import type { ImageService, RuntimeService } from '@nodeagent/cri-api';
import { type CgroupReader, createCgroupReader } from '../cgroup/cgroup-reader.js';
import { type FileSystems, nodeFileSystems } from '../fs/file-systems.js';
import type { MeasuredMachine } from '../metrics/container-metrics.js';
import type { StatsSource } from './stats-source.js';

/**
 * The runtime calls of the provider; a CRI client implements them. Without `listPodSandboxStats` the source `cri-pods` works like `cri`.
 */
export interface StatsRuntime {
  runtime: Partial<Pick<RuntimeService, 'listContainers' | 'listPodSandbox' | 'listContainerStats' | 'listPodSandboxStats'>>;
  /** Without it the summary omits the file systems of images and containers. */
  image?: Pick<ImageService, 'imageFsInfo'>;
}

export interface StatsProviderOptions {
  /** The name in the summary. Default: the machine's host name. */
  nodeName?: string;
  /** The runtime. Optional for the source `cgroup`; the others require `listContainers`, `listPodSandbox` and `listContainerStats`. */
  cri?: StatsRuntime;
  /** Source of pod stats; {@link chooseStatsSource} selects it as the kubelet does. Default `cri`. */
  source?: StatsSource;
  /** Pods with their statuses; required for the source `cgroup`. */
  pods?(): Iterable<Pod>;
  /** Reads cgroups. Default: the node's cgroups. */
  reader?: CgroupReader;
  /** Default: the node's. */
  fileSystems?: FileSystems;
  /** Returns the last measured volume stats of a pod, by UID. Default: none. */
  volumes?(podUid: string): PodVolumeStats | undefined;
  /**
   * Cgroups of the agent (`kubelet`), the runtime and other system processes (`misc`), as paths below the root cgroup. `pods` is the cgroup
   * of all pods, by default `/kubepods.slice` or `/kubepods`. Of several paths the first one that exists counts.
   */
  systemContainers?: Partial<Record<'kubelet' | 'runtime' | 'misc' | 'pods', string | readonly string[]>>;
  /** Values of the metrics `machine_*`. Default: these metrics are omitted. */
  machine?(): MeasuredMachine | undefined | Promise<MeasuredMachine | undefined>;
  /** The agent's root directory, whose file system is reported as the node's. Default `/var/lib/kubelet`. */
  rootDir?: string;
  /** Default `/var/log/pods`. */
  podLogsDir?: string;
  /** Maximum age in milliseconds of stats that are not requested with `fresh`. Default 10 s. */
  maxAgeMs?: number;
  /** Timeout of the runtime's listings in milliseconds. Default 2 min. */
  runtimeRequestTimeoutMs?: number;
  /** Timeout in milliseconds of the runtime's container stats and of file systems, after which the summary omits them. Default 10 s. */
  statsTimeoutMs?: number;
  /** Default: the system clock. */
  clock?: Clock;
  /** Default: silent. */
  logger?: Logger;
}

export type ResolvedStatsOptions = Required<Omit<StatsProviderOptions, 'systemContainers'>> & {
  systemContainers: { name: string; paths: readonly string[] }[];
};

/** The options with their defaults. Throws `InvalidOption` naming the field. */
export function resolveStatsOptions(options: StatsProviderOptions): ResolvedStatsOptions {
  const { nodeName = defaultNodeName(), cri = { runtime: {} }, source = 'cri', clock = systemClock, systemContainers = {} } = options;
  const { maxAgeMs = 10_000, runtimeRequestTimeoutMs = 120_000, statsTimeoutMs = 10_000 } = options;
  if (!nodeName) throw invalidOption('nodeName', 'the name of the node', nodeName);
  for (const [field, value] of Object.entries({ maxAgeMs, runtimeRequestTimeoutMs, statsTimeoutMs })) requirePositive(field, value);
  if (source === 'cgroup' && options.pods === undefined) throw invalidOption('pods', 'a function for the source cgroup', options.pods);
  if (source !== 'cgroup') {
    for (const call of ['listContainers', 'listPodSandbox', 'listContainerStats'] as const) {
      if (typeof cri.runtime?.[call] === 'function') continue;
      throw invalidOption(`cri.runtime.${call}`, `a function for the source ${source}`, cri.runtime?.[call]);
    }
  }
  const named = Object.entries({ pods: undefined, ...systemContainers });
  return {
    nodeName,
    cri,
    source,
    pods: options.pods ?? (() => []),
    reader: options.reader ?? createCgroupReader({ clock }),
    fileSystems: options.fileSystems ?? nodeFileSystems,
    volumes: options.volumes ?? (() => undefined),
    machine: options.machine ?? (() => undefined),
    systemContainers: named.map(([name, path]) => ({ name, paths: path === undefined ? podsRoots : [path].flat() })),
    rootDir: options.rootDir ?? '/var/lib/kubelet',
    podLogsDir: options.podLogsDir ?? '/var/log/pods',
    maxAgeMs,
    runtimeRequestTimeoutMs,
    statsTimeoutMs,
    clock,
    logger: options.logger ?? silentLogger,
  };
}

const podsRoots = ['/kubepods.slice', '/kubepods'];
