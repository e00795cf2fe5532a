import { type Pod, type PodStatus, parseTime } from '@nodeagent/api';

/** Why a pod is ended: reason and message of its status. */
export interface PodEviction {
  reason: string;
  message: string;
}

/** Looks whether a pod must be ended, given its last status and the clock's time in milliseconds. */
export type EvictHandler = (pod: Pod, status: PodStatus | undefined, now: number) => PodEviction | undefined;

/** What a pod reports that has run for as long as it may. */
export const deadlineExceeded: Readonly<PodEviction> = {
  reason: 'DeadlineExceeded',
  message: 'Pod was active on the node longer than the specified deadline',
};

/** When a pod that started at `startTime` has run for `spec.activeDeadlineSeconds`, in milliseconds since 1970; undefined without either. */
export function activeDeadline(pod: Pod, startTime: string | null | undefined): number | undefined {
  const seconds = pod.spec?.activeDeadlineSeconds;
  const start = parseTime(startTime);
  return seconds === undefined || start === undefined ? undefined : start + seconds * 1000;
}

/**
 * Ends a pod that has run for `spec.activeDeadlineSeconds` or longer, counted from its status' start time; a pod without either is left
 * alone. Kubernetes documentation, "Jobs: Job termination and cleanup".
 */
export const activeDeadlineExceeded: EvictHandler = (pod, status, now) => {
  const deadline = activeDeadline(pod, (status ?? pod.status)?.startTime);
  return deadline !== undefined && now >= deadline ? deadlineExceeded : undefined;
};
