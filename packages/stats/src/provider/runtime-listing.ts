import { abandonAtDeadline, errorCode, NodeAgentError } from '@nodeagent/api';
import type { CallOptions, FilesystemUsage } from '@nodeagent/cri-api';
import { deadlineExceeded, statsErrorCodes } from '../errors.js';
import { entriesOfPods, entriesOfRuntime, entriesOfSandboxStats, type PodEntry } from '../summary/pod-entries.js';
import type { ResolvedStatsOptions, StatsRuntime } from './options.js';

/** The pods with stats, and the file systems of images and of containers. */
export interface RuntimeListing {
  pods: PodEntry[];
  imageFs?: FilesystemUsage;
  containerFs?: FilesystemUsage;
  /** Whether cgroups provide more values than the runtime. */
  useCgroups: boolean;
}

type Calls = Required<StatsRuntime['runtime'] & NonNullable<StatsRuntime['image']>>;
type Answer<M extends keyof Calls> = Awaited<ReturnType<Calls[M]>>;

/** Number of consecutive timeouts after which the runtime counts as one without stats; a busy runtime occasionally times out. */
const lateAnswersToWarnOf = 2;

/**
 * Lists the runtime's pods, with `stats` including their stats. Rejects with the runtime's error, or with `CRI_DEADLINE_EXCEEDED` if a
 * listing times out.
 */
export type ListRuntime = (signal: AbortSignal, options?: { withStats?: boolean }) => Promise<RuntimeListing>;

export function createRuntimeListing(options: ResolvedStatsOptions): ListRuntime {
  let lateInARow = 0;
  const onLateStats = () => {
    lateInARow++;
    const { logger, statsTimeoutMs: timeoutMs } = options;
    const message = 'the runtime does not report container stats, using those of cgroups';
    logger[lateInARow === lateAnswersToWarnOf ? 'warn' : 'debug']({ timeoutMs, lateInARow }, message);
  };
  const onStats = () => {
    lateInARow = 0;
  };
  return (signal, { withStats = true } = {}) => listRuntime({ ...options, withStats, onStats, onLateStats }, signal);
}

interface Listing extends ResolvedStatsOptions {
  withStats: boolean;
  /** The container stats arrived. */
  onStats(): void;
  /** The container stats timed out. */
  onLateStats(): void;
}

async function listRuntime(options: Listing, signal: AbortSignal): Promise<RuntimeListing> {
  const { cri, source, clock, runtimeRequestTimeoutMs, statsTimeoutMs, withStats, onStats, onLateStats } = options;

  const call = <M extends keyof Calls>(method: M, timeoutMs = runtimeRequestTimeoutMs): Promise<Answer<M>> =>
    abandonAtDeadline({ clock, timeoutMs, signal, error: () => deadlineExceeded(method, timeoutMs) }, (bound) => {
      const service = (method === 'imageFsInfo' ? cri.image : cri.runtime) as Record<M, (request: object, options: CallOptions) => unknown>;
      return service[method]({}, { signal: bound, timeoutMs }) as Promise<Answer<M>>;
    });
  /** Undefined on a timeout; the containers are then reported without them. */
  const containerStats = async () => {
    if (!withStats) return undefined;
    try {
      const { stats } = await call('listContainerStats', statsTimeoutMs);
      onStats();
      return stats;
    } catch (error) {
      if (errorCode(error) !== statsErrorCodes.deadlineExceeded || signal.aborted) throw error;
      onLateStats();
      return undefined;
    }
  };
  const fromRuntime = async () => {
    const [{ containers }, { items: sandboxes }, stats] = await Promise.all([
      call('listContainers'),
      call('listPodSandbox'),
      containerStats(),
    ]);
    return entriesOfRuntime({ containers, sandboxes, stats });
  };
  /** Undefined if the runtime has no sandbox stats. */
  const fromSandboxStats = async () => {
    if (cri.runtime.listPodSandboxStats === undefined) return undefined;
    try {
      const [{ stats }, { containers }, { items: sandboxes }] = await Promise.all([
        call('listPodSandboxStats', statsTimeoutMs),
        call('listContainers'),
        call('listPodSandbox'),
      ]);
      return entriesOfSandboxStats({ containers, sandboxes }, stats);
    } catch (error) {
      if (errorCode(error) !== 'CRI_UNIMPLEMENTED') throw error;
      return undefined;
    }
  };
  const fileSystems = async () => {
    if (cri.image === undefined || !withStats) return {};
    const { imageFilesystems, containerFilesystems } = await call('imageFsInfo');
    const imageFs = imageFilesystems[0];
    if (imageFs === undefined) {
      throw new NodeAgentError(statsErrorCodes.imageFsMissing, 'the runtime reports no image file system', { retryable: true });
    }
    // Only the source with cgroups checks for a separate file system of containers.
    return { imageFs, containerFs: source === 'cgroup' ? (containerFilesystems[0] ?? imageFs) : imageFs };
  };
  const pods = async (): Promise<Pick<RuntimeListing, 'pods' | 'useCgroups'>> => {
    if (source === 'cgroup') {
      const stats = cri.runtime.listContainerStats && (await containerStats());
      return { pods: entriesOfPods(options.pods(), stats), useCgroups: true };
    }
    const fromStats = source === 'cri-pods' && withStats ? await fromSandboxStats() : undefined;
    return fromStats === undefined ? { pods: await fromRuntime(), useCgroups: true } : { pods: fromStats, useCgroups: false };
  };

  const [listed, found] = await Promise.all([pods(), fileSystems()]);
  return { ...listed, ...found };
}
