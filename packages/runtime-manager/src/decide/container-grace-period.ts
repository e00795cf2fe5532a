import type { Container, Pod } from '@nodeagent/api';

/** Minimum grace period in seconds between a container's stop signal and SIGKILL. */
export const minimumGracePeriod = 2;

/** Why a container is killed; a failed probe has its own grace period. */
export type KillReason = 'StartupProbe' | 'LivenessProbe' | 'FailedPostStartHook' | 'Unknown' | '';

/**
 * A container's grace period in seconds, before an override: `deletionGracePeriodSeconds`, else the failed probe's, else the pod's
 * `terminationGracePeriodSeconds`. Kubernetes documentation, "Termination of Pods", "Probe-level terminationGracePeriodSeconds".
 */
export function containerGracePeriod(pod: Pod, container: Container | undefined, reason: KillReason): number {
  const { deletionGracePeriodSeconds } = pod.metadata ?? {};
  if (deletionGracePeriodSeconds !== undefined && deletionGracePeriodSeconds !== null) return deletionGracePeriodSeconds;
  const ofPod = pod.spec?.terminationGracePeriodSeconds;
  if (ofPod === undefined || ofPod === null) return minimumGracePeriod;
  const probe = reason === 'StartupProbe' ? container?.startupProbe : reason === 'LivenessProbe' ? container?.livenessProbe : undefined;
  return probe?.terminationGracePeriodSeconds ?? ofPod;
}

/** The timeout of CRI's StopContainer in seconds: the override or else the rest of the grace period, at least {@link minimumGracePeriod}. */
export function stopTimeout(gracePeriod: number, override?: number): number {
  return Math.max(override ?? gracePeriod, minimumGracePeriod);
}

/** The text of a container's Killing event. */
export function killingMessage(container: { id: string; name: string }, message: string): string {
  return containerEventMessage(container, message || `Stopping container ${container.name}`);
}

/** The message of an event about a container. The container id, which changes with each attempt, is replaced by the name: equal events are then aggregated. */
export function containerEventMessage({ id, name }: { id: string; name: string }, message: string): string {
  return id === '' ? message : message.replaceAll(id, name);
}
