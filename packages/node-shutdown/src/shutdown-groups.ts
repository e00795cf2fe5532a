import { invalidOption, type Pod } from '@nodeagent/api';
import {
  checkSetting,
  completeSettings,
  type GivenSettings,
  isStaticPod,
  notNegative,
  type SettingCheck,
  type SettingTable,
  systemCriticalPriority,
} from '@nodeagent/api/helpers';

/** The time that pods get from this priority up to the next period's, when the node shuts down. */
export interface ShutdownPeriod {
  priority: number;
  shutdownGracePeriodSeconds: number;
}

const seconds: SettingCheck = { ...notNegative, rule: 'a number of seconds, 0 or more' };

/** The settings of KubeletConfiguration for a graceful shutdown. */
export const shutdownSettings = {
  /** For all pods together. Default 0: no graceful shutdown. */
  shutdownGracePeriodSeconds: { default: 0, unit: 's', check: seconds, field: 'shutdownGracePeriod' },
  /** The last part of it, reserved for critical pods. Default 0. */
  shutdownGracePeriodCriticalPodsSeconds: { default: 0, unit: 's', check: seconds, field: 'shutdownGracePeriodCriticalPods' },
  /** Replaces both. Default none. */
  shutdownGracePeriodByPodPriority: { default: [] as readonly ShutdownPeriod[], field: 'shutdownGracePeriodByPodPriority' },
} satisfies SettingTable;

/** Settings of {@link shutdownSettings}. */
export type ShutdownSettings = GivenSettings<typeof shutdownSettings>;

/** Pods that are killed together, each with at most this time. */
export interface ShutdownGroup extends ShutdownPeriod {
  pods: { pod: Pod; gracePeriodSeconds: number }[];
}

/**
 * Throws `InvalidOption` for periods that are no numbers of seconds, and for a period of critical pods that is longer than the whole.
 * KubeletConfiguration v1beta1.
 *
 * @param option - the option that holds the settings, for the field of the error
 */
export function checkShutdownSettings(settings: ShutdownSettings, option = 'settings'): void {
  const {
    shutdownGracePeriodSeconds: total,
    shutdownGracePeriodCriticalPodsSeconds: critical,
    shutdownGracePeriodByPodPriority: byPriority,
  } = completeSettings(shutdownSettings, settings, option);
  if (critical > total) {
    throw invalidOption(`${option}.shutdownGracePeriodCriticalPodsSeconds`, `at most ${total}, the whole period`, critical);
  }
  for (const [index, period] of byPriority.entries()) {
    const field = `${option}.shutdownGracePeriodByPodPriority[${index}].shutdownGracePeriodSeconds`;
    checkSetting(shutdownSettings.shutdownGracePeriodSeconds, period.shutdownGracePeriodSeconds, field);
  }
}

/**
 * The periods by rising priority, which is their order in time; none if graceful shutdown is disabled. Kubernetes documentation, "Node
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
 * Assigns each pod to the period with the highest priority that is not above its own, or to the first period. A pod gets its own grace
 * period, at most the group's. Pods keep their order.
 *
 * A static pod without a priority belongs to the last period: admission resolves priority classes only for pods of the API server, and the
 * static pods of a control plane serve the others while these terminate.
 */
export function shutdownGroups(periods: readonly ShutdownPeriod[], pods: readonly Pod[]): ShutdownGroup[] {
  const groups = periods.map((period): ShutdownGroup => ({ ...period, pods: [] }));
  for (const pod of pods) {
    const priority = pod.spec?.priority ?? (isStaticPod(pod) ? Number.POSITIVE_INFINITY : 0);
    const group = groups.findLast((candidate) => candidate.priority <= priority) ?? groups[0];
    if (group === undefined) continue;
    const own = pod.spec?.terminationGracePeriodSeconds ?? group.shutdownGracePeriodSeconds;
    group.pods.push({ pod, gracePeriodSeconds: Math.min(own, group.shutdownGracePeriodSeconds) });
  }
  return groups;
}

/** The sum of the periods: how long the shutdown must be delayed, in seconds. */
export function shutdownSeconds(periods: readonly ShutdownPeriod[]): number {
  return periods.reduce((total, { shutdownGracePeriodSeconds }) => total + shutdownGracePeriodSeconds, 0);
}
