import type { FsStats, PodStats, StatsProvider, Summary } from '@nodeagent/api';
import { formatTime } from '@nodeagent/api/helpers';
import type { FilesystemUsage } from '@nodeagent/cri-api';
import { createSampler } from '../cgroup/sampler.js';
import { createUsageNanoCores } from '../cri/usage-nano-cores.js';
import { createFileRounds } from '../fs/file-rounds.js';
import { containerMetrics } from '../metrics/container-metrics.js';
import { resourceMetrics } from '../metrics/resource-metrics.js';
import type { PodEntry } from '../summary/pod-entries.js';
import { podStats, runtimeFs, wholeFs } from '../summary/pod-stats.js';
import { createTtlCache } from '../ttl-cache.js';
import { askFiles, createKnownFiles, type PodFileUsage } from './ask-files.js';
import { measureCadvisor } from './measure-cadvisor.js';
import { type MeasuredPodCgroups, measurePods } from './measure-pods.js';
import { measureNode, withFileSystems } from './node-stats.js';
import { resolveStatsOptions, type StatsProviderOptions } from './options.js';
import { createRuntimeListing } from './runtime-listing.js';
import { createSharedPasses } from './shared-passes.js';

/**
 * Creates the {@link StatsProvider} of a node. Does no I/O and starts no timer: a call starts a measurement pass, which concurrent callers
 * share. Callers must not modify the result, because it is shared too. Throws `InvalidOption` naming the field.
 *
 * CPU rates are computed between two passes, so those of the first summary are 0. The provider keeps one counter per cgroup and the last
 * summary. It caches for a minute what rarely changes: a pod's memory limits, a process in its network namespace, the sizes of its hosts
 * file and of its logs outside containers.
 *
 * @see https://kubernetes.io/docs/reference/instrumentation/node-metrics/
 */
export function createStatsProvider(options: StatsProviderOptions): StatsProvider {
  const settings = resolveStatsOptions(options);
  const { nodeName, source, reader, systemContainers, clock, logger, statsTimeoutMs: timeoutMs } = settings;
  const listRuntime = createRuntimeListing(settings);
  const sampler = createSampler(reader);
  const rates = createUsageNanoCores();
  const processes = createTtlCache<number>(clock.monotonic);
  const known = createKnownFiles(clock.monotonic);
  const beginRound = createFileRounds({ clock, logger, timeoutMs });

  const pass = async (signal: AbortSignal): Promise<Summary> => {
    const listing = await listRuntime(signal);
    const node = measureNode({ nodeName, reader, sampler, systemContainers });
    const cgroups: MeasuredPodCgroups[] = listing.useCgroups
      ? measurePods(listing.pods, { reader, sampler, processes })
      : listing.pods.map(() => ({ containers: new Map() }));
    sampler.endPass();
    processes.endPass();
    const files = await askFiles(listing, beginRound(), { ...settings, known, signal });

    const time = formatTime(clock.now());
    const rootFs = files.rootFs && wholeFs(time, files.rootFs);
    const fileSystemAt = (mountpoint: string) => files.mountpoints.get(mountpoint);
    const rateOf = (id: string, cpu: Parameters<typeof rates.of>[1]) => rates.of(id, cpu, { update: true, now: clock.monotonic() });
    const statsOf = (pod: PodEntry, index: number): PodStats => {
      const { cgroup, containers, network } = cgroups[index] as MeasuredPodCgroups;
      const { logs, podLogs, etcHosts } = files.pods[index] as PodFileUsage;
      const volumes = settings.volumes(pod.podRef.uid);
      const measured = { time, cgroup, containers, network, rateOf, rootFs, fileSystemAt, logs, podLogs, etcHosts, volumes };
      if (source !== 'cgroup') return podStats(pod, measured);
      return podStats({ ...pod, containers: pod.containers.filter(({ id }) => containers.has(id)) }, measured);
    };
    const fsOf = (usage: FilesystemUsage | undefined): FsStats | undefined =>
      usage && runtimeFs(usage, fileSystemAt(usage.fsId?.mountpoint ?? ''));
    return {
      node: withFileSystems(node, { fs: rootFs, imageFs: fsOf(listing.imageFs), containerFs: fsOf(listing.containerFs) }),
      pods: listing.pods.map(statsOf),
    };
  };

  const cadvisorPage = async (signal: AbortSignal): Promise<string> => {
    const { pods } = await listRuntime(signal, { withStats: false });
    const machine = await settings.machine();
    const cgroups = measureCadvisor(
      pods,
      systemContainers.flatMap(({ paths }) => paths),
      reader,
    );
    return containerMetrics({ cgroups, diskNames: reader.diskNames(), machine });
  };

  const passes = createSharedPasses(pass, settings);
  const pages = createSharedPasses(cadvisorPage, settings);
  return {
    summary: (asked) => passes.get(asked),
    containerMetrics: ({ signal }) => pages.get({ fresh: false, signal }),
    async resourceMetrics({ signal }) {
      try {
        return resourceMetrics(await passes.get({ fresh: false, signal }));
      } catch (error) {
        signal.throwIfAborted();
        logger.warn({ err: error }, 'no stats for /metrics/resource');
        return resourceMetrics(undefined);
      }
    },
  };
}
