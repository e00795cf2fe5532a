import type { Pod, PodReference, Time } from '@nodeagent/api';
import { formatNanos, podUid } from '@nodeagent/api/helpers';
import type { Container, ContainerStats as CriContainerStats, PodSandbox, PodSandboxStats } from '@nodeagent/cri-api';
import { liveSandboxes, runningContainers } from '../cri/live-entries.js';

/** A pod with stats, from a listing. */
export interface PodEntry {
  podRef: PodReference;
  startTime: Time;
  /** The live sandboxes: their network is the pod's. */
  sandboxIds: string[];
  containers: ContainerEntry[];
  /** The pod-level stats, if the runtime reports them. */
  sandboxStats?: PodSandboxStats;
}

export interface ContainerEntry {
  id: string;
  name: string;
  startTime: Time;
  /** The name in the pod's spec, if the runtime reports it. */
  image?: string;
  /** Reported by the runtime. */
  stats?: CriContainerStats;
}

export interface CriListing {
  sandboxes: readonly PodSandbox[];
  containers: readonly Container[];
  /** Undefined if the runtime timed out: then all running containers are listed, without these stats. */
  stats: readonly CriContainerStats[] | undefined;
}

/** The pods of live sandboxes, each with its running containers for which the runtime reports stats. */
export function entriesOfRuntime({ sandboxes, containers, stats }: CriListing): PodEntry[] {
  const known = stats && new Map<string | undefined, CriContainerStats>();
  for (const entry of stats ?? []) known?.set(entry.attributes?.id, entry);
  const pods = podsOfSandboxes(sandboxes);
  for (const { id, metadata, podSandboxId, createdAt, image } of runningContainers(containers)) {
    const containerStats = known?.get(id);
    if (known !== undefined && containerStats === undefined) continue;
    pods.get(podSandboxId)?.containers.push({
      id,
      name: metadata?.name ?? '',
      startTime: formatNanos(createdAt),
      image: image?.userSpecifiedImage || image?.image,
      ...(containerStats && { stats: containerStats }),
    });
  }
  return [...new Set(pods.values())];
}

/** The pods for which the runtime reports sandbox stats, with no other source. */
export function entriesOfSandboxStats({ sandboxes, containers }: Omit<CriListing, 'stats'>, stats: readonly PodSandboxStats[]): PodEntry[] {
  const pods = podsOfSandboxes(sandboxes);
  const running = new Map(runningContainers(containers).map((container) => [container.id, container]));
  for (const sandboxStats of stats) {
    const pod = pods.get(sandboxStats.attributes?.id ?? '');
    if (pod === undefined) continue;
    pod.sandboxStats = sandboxStats;
    for (const containerStats of sandboxStats.linux?.containers ?? []) {
      const container = running.get(containerStats.attributes?.id ?? '');
      if (container === undefined) continue;
      const { id, metadata, createdAt, image } = container;
      const name = metadata?.name ?? '';
      pod.containers.push({
        id,
        name,
        startTime: formatNanos(createdAt),
        image: image?.userSpecifiedImage || image?.image,
        stats: containerStats,
      });
    }
  }
  return [...new Set(pods.values())].filter(({ sandboxStats }) => sandboxStats !== undefined);
}

/**
 * The started pods and their running containers, according to the pods' statuses; for the source that reads stats from cgroups only.
 * `stats` provides the usage of writable layers.
 */
export function entriesOfPods(pods: Iterable<Pod>, stats: readonly CriContainerStats[] = []): PodEntry[] {
  const known = new Map(stats.map((entry) => [entry.attributes?.id, entry.writableLayer]));
  return [...pods].flatMap((pod): PodEntry[] => {
    const { status, metadata } = pod;
    if (!status?.startTime) return [];
    const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].flatMap(
      ({ name, containerID, state, image }): ContainerEntry[] => {
        const id = containerID?.split('://')[1];
        if (!id || state?.running === undefined) return [];
        const writableLayer = known.get(id);
        return [{ id, name, startTime: state.running.startedAt ?? '', image, ...(writableLayer && { stats: { writableLayer } }) }];
      },
    );
    const podRef = { name: metadata?.name ?? '', namespace: metadata?.namespace ?? '', uid: podUid(pod) };
    return [{ podRef, startTime: status.startTime, sandboxIds: [], containers }];
  });
}

/** Pods by the id of each of their sandboxes. */
function podsOfSandboxes(sandboxes: readonly PodSandbox[]): Map<string, PodEntry> {
  const byUid = new Map<string, PodEntry>();
  const bySandbox = new Map<string, PodEntry>();
  for (const { id, metadata, createdAt } of liveSandboxes(sandboxes)) {
    const { name = '', namespace = '', uid = '' } = metadata ?? {};
    let pod = byUid.get(uid);
    if (pod === undefined) {
      pod = { podRef: { name, namespace, uid }, startTime: formatNanos(createdAt), sandboxIds: [id], containers: [] };
      byUid.set(uid, pod);
    } else pod.sandboxIds.push(id);
    bySandbox.set(id, pod);
  }
  return bySandbox;
}
