import { type Pod, systemCriticalPriority } from '@nodeagent/api';

/** Pods from a priority on and the time they get when the node shuts down. */
export interface ShutdownPeriod {
  priority: number;
  shutdownGracePeriodSeconds: number;
}

/** The settings of KubeletConfiguration for a graceful shutdown. */
export interface ShutdownSettings {
  /** For all pods together. Default 0: no graceful shutdown. */
  shutdownGracePeriodSeconds?: number;
  /** The part of it at the end that only critical pods get. Default 0. */
  shutdownGracePeriodCriticalPodsSeconds?: number;
  /** Replaces both. Default none. */
  shutdownGracePeriodByPodPriority?: readonly ShutdownPeriod[];
}

/** Pods that are killed at once, each with at most this time. */
export interface ShutdownGroup extends ShutdownPeriod {
  pods: { pod: Pod; gracePeriodSeconds: number }[];
}

/**
 * The periods in the order in which they pass, by rising priority; none if there is no graceful shutdown. Kubernetes documentation, "Node
 * Shutdowns: Pod Priority based graceful node shutdown".
 */
export function shutdownPeriods(settings: ShutdownSettings): ShutdownPeriod[] {
  const { shutdownGracePeriodSeconds: total = 0, shutdownGracePeriodCriticalPodsSeconds: critical = 0 } = settings;
  const byPriority = settings.shutdownGracePeriodByPodPriority ?? [];
  if (byPriority.length > 0) return byPriority.toSorted((a, b) => a.priority - b.priority);
  if (total <= 0 || critical > total) return [];
  return [
    { priority: 0, shutdownGracePeriodSeconds: total - critical },
    { priority: systemCriticalPriority, shutdownGracePeriodSeconds: critical },
  ];
}

/**
 * Which pods are killed in which period: each in that of the highest priority up to its own, those below all of them in the first. A pod
 * gets its own grace period, at most the group's. Pods keep their order.
 */
export function shutdownGroups(periods: readonly ShutdownPeriod[], pods: readonly Pod[]): ShutdownGroup[] {
  const groups = periods.map((period): ShutdownGroup => ({ ...period, pods: [] }));
  for (const pod of pods) {
    const priority = pod.spec?.priority ?? 0;
    const group = groups.findLast((candidate) => candidate.priority <= priority) ?? groups[0];
    if (group === undefined) continue;
    const own = pod.spec?.terminationGracePeriodSeconds ?? group.shutdownGracePeriodSeconds;
    group.pods.push({ pod, gracePeriodSeconds: Math.min(own, group.shutdownGracePeriodSeconds) });
  }
  return groups;
}

/** How long the shutdown has to be held up, in seconds. */
export function shutdownSeconds(periods: readonly ShutdownPeriod[]): number {
  return periods.reduce((total, { shutdownGracePeriodSeconds }) => total + shutdownGracePeriodSeconds, 0);
}
