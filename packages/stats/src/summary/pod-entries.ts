import { formatNanos, type Pod, type PodReference, podUid, type Time } from '@nodeagent/api';
import type { Container, ContainerStats as CriContainerStats, PodSandbox, PodSandboxStats } from '@nodeagent/cri-api';
import { liveSandboxes, runningContainers } from '../cri/live-entries.js';

/** A pod that has figures, as a listing knows it. */
export interface PodEntry {
  podRef: PodReference;
  startTime: Time;
  /** Whose network is the pod's. */
  sandboxIds: string[];
  containers: ContainerEntry[];
  /** The pod as a whole, if the runtime tells. */
  sandboxStats?: PodSandboxStats;
}

export interface ContainerEntry {
  id: string;
  name: string;
  startTime: Time;
  /** As the pod names it. */
  image?: string;
  /** The runtime's figures. */
  stats?: CriContainerStats;
}

export interface CriListing {
  sandboxes: readonly PodSandbox[];
  containers: readonly Container[];
  /** Undefined if the runtime did not answer in time: then all running containers are listed, without its figures. */
  stats: readonly CriContainerStats[] | undefined;
}

/** The pods of live sandboxes, each with its running containers of which the runtime has figures. */
export function entriesOfRuntime({ sandboxes, containers, stats }: CriListing): PodEntry[] {
  const known = stats && new Map<string | undefined, CriContainerStats>();
  for (const entry of stats ?? []) known?.set(entry.attributes?.id, entry);
  const pods = podsOfSandboxes(sandboxes);
  for (const { id, metadata, podSandboxId, createdAt, image } of runningContainers(containers)) {
    const figures = known?.get(id);
    if (known !== undefined && figures === undefined) continue;
    pods.get(podSandboxId)?.containers.push({
      id,
      name: metadata?.name ?? '',
      startTime: formatNanos(createdAt),
      image: image?.userSpecifiedImage || image?.image,
      ...(figures && { stats: figures }),
    });
  }
  return [...new Set(pods.values())];
}

/** The pods as the runtime tells them, which is all that is told of them. */
export function entriesOfSandboxStats({ sandboxes, containers }: Omit<CriListing, 'stats'>, stats: readonly PodSandboxStats[]): PodEntry[] {
  const pods = podsOfSandboxes(sandboxes);
  const running = new Map(runningContainers(containers).map((container) => [container.id, container]));
  for (const sandboxStats of stats) {
    const pod = pods.get(sandboxStats.attributes?.id ?? '');
    if (pod === undefined) continue;
    pod.sandboxStats = sandboxStats;
    for (const figures of sandboxStats.linux?.containers ?? []) {
      const container = running.get(figures.attributes?.id ?? '');
      if (container === undefined) continue;
      const { id, metadata, createdAt, image } = container;
      const name = metadata?.name ?? '';
      pod.containers.push({
        id,
        name,
        startTime: formatNanos(createdAt),
        image: image?.userSpecifiedImage || image?.image,
        stats: figures,
      });
    }
  }
  return [...new Set(pods.values())].filter(({ sandboxStats }) => sandboxStats !== undefined);
}

/**
 * The pods as their statuses name them, for figures that come from cgroups alone: those that have started, with the containers that run.
 * `stats` adds what the runtime knows, which is used for writable layers only.
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
