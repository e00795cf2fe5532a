import type { Pod, PodStatus } from '@nodeagent/api';
import { parseTime } from '@nodeagent/api/helpers';

/** Reason and message of the status of a pod that is terminated. */
export interface PodEviction {
  reason: string;
  message: string;
}

/** Decides whether a pod must be terminated, from its last status and the wall-clock time in milliseconds. */
export type EvictHandler = (pod: Pod, status: PodStatus | undefined, now: number) => PodEviction | undefined;

/** Reason and message of a pod that exceeded its active deadline. */
export const deadlineExceeded: Readonly<PodEviction> = {
  reason: 'DeadlineExceeded',
  message: 'Pod was active on the node longer than the specified deadline',
};

/** The end of `spec.activeDeadlineSeconds` for a pod that started at `startTime`, in milliseconds since 1970; undefined without either. */
export function activeDeadline(pod: Pod, startTime: string | null | undefined): number | undefined {
  const seconds = pod.spec?.activeDeadlineSeconds;
  const start = parseTime(startTime);
  return seconds === undefined || start === undefined ? undefined : start + seconds * 1000;
}

/**
 * Terminates a pod that has run for `spec.activeDeadlineSeconds` or longer since its status' start time; ignores a pod without either.
 * Kubernetes documentation, "Jobs: Job termination and cleanup".
 */
export const activeDeadlineExceeded: EvictHandler = (pod, status, now) => {
  const deadline = activeDeadline(pod, (status ?? pod.status)?.startTime);
  return deadline !== undefined && now >= deadline ? deadlineExceeded : undefined;
};
