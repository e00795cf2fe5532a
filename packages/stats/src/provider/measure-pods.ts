import type { NetworkStats, Time } from '@nodeagent/api';
import type { CgroupReader } from '../cgroup/cgroup-reader.js';
import type { CgroupPaths } from '../cgroup/cgroup-tree.js';
import type { RatedSample, Sampler } from '../cgroup/sampler.js';
import { networkStats } from '../summary/network.js';
import type { PodEntry } from '../summary/pod-entries.js';

/** What cgroups tell of one pod. */
export interface PodCgroups {
  cgroup?: RatedSample;
  /** By container id. */
  containers: Map<string, RatedSample>;
  network?: NetworkStats;
}

export interface PodMeasurement {
  reader: CgroupReader;
  sampler: Sampler;
  formatted(ms: number): Time;
}

/** Reads the cgroups of pods and their containers, in the order of `pods`. What is gone, or never had a cgroup, is left out. */
export function measurePods(pods: readonly PodEntry[], { reader, sampler, formatted }: PodMeasurement): PodCgroups[] {
  const paths = reader.find(pods.flatMap(({ sandboxIds, containers }) => [...sandboxIds, ...containers.map(({ id }) => id)]));
  return pods.map((pod) => {
    const path = paths.pods.get(pod.podRef.uid);
    const cgroup = path === undefined ? undefined : sampler.sample(path, { steadyLimits: true });
    const containers = new Map<string, RatedSample>();
    for (const { id } of pod.containers) {
      const containerPath = paths.containers.get(id);
      const rated = containerPath === undefined ? undefined : sampler.sample(containerPath, { processes: true, steadyLimits: true });
      if (rated !== undefined) containers.set(id, rated);
    }
    return { cgroup, containers, network: podNetwork(pod, paths, { reader, formatted }) };
  });
}

/** What a process of the pod sees: the sandbox's, or that of a container, which has the same network. */
function podNetwork(
  { sandboxIds, containers }: PodEntry,
  paths: CgroupPaths,
  { reader, formatted }: Pick<PodMeasurement, 'reader' | 'formatted'>,
): NetworkStats | undefined {
  for (const id of [...sandboxIds, ...containers.map((container) => container.id)]) {
    const path = paths.containers.get(id);
    const pid = path === undefined ? undefined : reader.processes(path)[0];
    const time = reader.now();
    const interfaces = pid === undefined ? undefined : reader.interfaces(pid);
    if (interfaces !== undefined) return networkStats(formatted(time), interfaces);
  }
  return undefined;
}
