import type { NetworkStats } from '@nodeagent/api';
import { formatTime } from '@nodeagent/api/helpers';
import type { CgroupReader } from '../cgroup/cgroup-reader.js';
import type { InterfaceCounters } from '../cgroup/proc-files.js';
import type { RatedSample, Sampler } from '../cgroup/sampler.js';
import { networkStats } from '../summary/network.js';
import type { PodEntry } from '../summary/pod-entries.js';
import type { TtlCache } from '../ttl-cache.js';

/** The cgroup measurements of one pod. */
export interface MeasuredPodCgroups {
  cgroup?: RatedSample;
  /** By container ID; may include containers of other pods. */
  containers: ReadonlyMap<string, RatedSample>;
  network?: NetworkStats;
}

export interface PodMeasurement {
  reader: CgroupReader;
  sampler: Sampler;
  /** A process of a cgroup, by the cgroup's path. */
  processes: TtlCache<number>;
}

/** Reads the cgroups of pods and their containers, in the order of `pods`. Omits missing cgroups. */
export function measurePods(pods: readonly PodEntry[], { reader, sampler, processes }: PodMeasurement): MeasuredPodCgroups[] {
  const ids: string[] = [];
  for (const { sandboxIds, containers } of pods) {
    for (const id of sandboxIds) ids.push(id);
    for (const { id } of containers) ids.push(id);
  }
  const paths = reader.find(ids);

  const interfacesIn = (path: string | undefined): InterfaceCounters[] | undefined => {
    if (path === undefined) return undefined;
    const known = processes.get(path);
    const interfaces = known === undefined ? undefined : reader.interfaces(known);
    if (interfaces !== undefined) return interfaces;
    const [process] = reader.processes(path);
    if (process === undefined) return undefined;
    processes.set(path, process);
    return reader.interfaces(process);
  };
  /** Network counters as a process of the pod sees them: of the sandbox, or of a container, which shares its network. */
  const networkOf = ({ sandboxIds, containers }: PodEntry): NetworkStats | undefined => {
    const time = reader.now();
    let interfaces: InterfaceCounters[] | undefined;
    for (const id of sandboxIds) interfaces ??= interfacesIn(paths.containers.get(id));
    for (const { id } of containers) interfaces ??= interfacesIn(paths.containers.get(id));
    return interfaces && networkStats(formatTime(time), interfaces);
  };

  const containers = new Map<string, RatedSample>();
  return pods.map((pod) => {
    const path = paths.pods.get(pod.podRef.uid);
    const cgroup = path === undefined ? undefined : sampler.sample(path, { cacheLimits: true });
    for (const { id } of pod.containers) {
      const containerPath = paths.containers.get(id);
      const rated = containerPath === undefined ? undefined : sampler.sample(containerPath, { processes: true, cacheLimits: true });
      if (rated !== undefined) containers.set(id, rated);
    }
    return { cgroup, containers, network: networkOf(pod) };
  });
}
