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
import type { ImageService, RuntimeService } from '@nodeagent/cri-api';
import { type CgroupReader, createCgroupReader } from '../cgroup/cgroup-reader.js';
import { type FileSystems, nodeFileSystems } from '../fs/file-systems.js';
import type { MeasuredMachine } from '../metrics/container-metrics.js';
import type { StatsSource } from './stats-source.js';

/** What the provider asks the runtime; a CRI client is one. Without `listPodSandboxStats` the source `cri-pods` is as `cri`. */
export interface StatsRuntime {
  runtime: Partial<Pick<RuntimeService, 'listContainers' | 'listPodSandbox' | 'listContainerStats' | 'listPodSandboxStats'>>;
  /** Without it the summary does not tell the file systems of images and containers. */
  image?: Pick<ImageService, 'imageFsInfo'>;
}

export interface StatsProviderOptions {
  nodeName: string;
  /**
   * The runtime. The source `cgroup` can do without; the others need `listContainers`, `listPodSandbox` and `listContainerStats` of it.
   */
  cri?: StatsRuntime;
  /** Where figures come from; {@link chooseStatsSource} chooses as a kubelet does. Default `cri`. */
  source?: StatsSource;
  /** Pods with their statuses; the source `cgroup` needs it. */
  pods?(): Iterable<Pod>;
  /** Reads cgroups. Default: those of the node. */
  reader?: CgroupReader;
  /** Default: the node's. */
  fileSystems?: FileSystems;
  /** Volumes of a pod, by its UID, as they were last measured. Default: there are none. */
  volumes?(podUid: string): PodVolumeStats | undefined;
  /**
   * Cgroups of the agent, the runtime and what else the system runs, as paths below the root of cgroups. `pods` is the cgroup of all
   * pods, by default `/kubepods.slice` or `/kubepods`, whichever there is.
   */
  systemContainers?: Partial<Record<'kubelet' | 'runtime' | 'misc' | 'pods', string>>;
  /** What the machine is, for the metrics `machine_*`. Default: they are not told. */
  machine?(): MeasuredMachine | undefined | Promise<MeasuredMachine | undefined>;
  /** The agent's folder, whose file system is the node's. Default `/var/lib/kubelet`. */
  rootDir?: string;
  /** Default `/var/log/pods`. */
  podLogsDir?: string;
  /** How old figures may be for who does not want them fresh, in milliseconds. Default 10 s. */
  maxAgeMs?: number;
  /** How long the runtime may take for a listing, in milliseconds. Default 2 minutes. */
  runtimeRequestTimeoutMs?: number;
  /** How long the runtime's container stats, and file systems, may take before the rest is told without them, in milliseconds. Default 10 s. */
  statsTimeoutMs?: number;
  /** Default: the system's. */
  clock?: Clock;
  /** Default: silent. */
  logger?: Logger;
}

export type ResolvedStatsOptions = Required<Omit<StatsProviderOptions, 'systemContainers'>> & {
  systemContainers: { name: string; paths: string[] }[];
};

/** The options with their defaults. Throws `InvalidOption` naming the field. */
export function resolveStatsOptions(options: StatsProviderOptions): ResolvedStatsOptions {
  const { nodeName, cri = { runtime: {} }, source = 'cri', clock = systemClock, systemContainers = {} } = options;
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
    systemContainers: named.map(([name, path]) => ({ name, paths: path === undefined ? podsRoots : [path] })),
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
