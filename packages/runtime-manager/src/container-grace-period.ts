import type { Container, Pod } from '@nodeagent/api';

/** Shortest time in seconds that a container gets between its stop signal and being killed. */
export const minimumGracePeriod = 2;

/** Why a container is killed, as far as it decides on the grace period. */
export type KillReason = 'StartupProbe' | 'LivenessProbe' | 'FailedPostStartHook' | 'Unknown' | '';

/**
 * Seconds that a container gets to end by itself, before an override: the deletion's own period, else a failed probe's, else the
 * pod's: Kubernetes documentation, "Termination of Pods" and "Probe-level terminationGracePeriodSeconds".
 */
export function containerGracePeriod(pod: Pod, container: Container | undefined, reason: KillReason): number {
  const { deletionGracePeriodSeconds } = pod.metadata ?? {};
  if (deletionGracePeriodSeconds !== undefined && deletionGracePeriodSeconds !== null) return deletionGracePeriodSeconds;
  const ofPod = pod.spec?.terminationGracePeriodSeconds;
  if (ofPod === undefined || ofPod === null) return minimumGracePeriod;
  const probe = reason === 'StartupProbe' ? container?.startupProbe : reason === 'LivenessProbe' ? container?.livenessProbe : undefined;
  return probe?.terminationGracePeriodSeconds ?? ofPod;
}

/** Seconds for CRI's StopContainer: what is left of the grace period, or what replaces it, but never less than the minimum. */
export function stopTimeout(gracePeriod: number, override?: number): number {
  return Math.max(override ?? gracePeriod, minimumGracePeriod);
}

/** The text of a container's Killing event. */
export function killingMessage(container: { id: string; name: string }, message: string): string {
  return containerEventMessage(container, message || `Stopping container ${container.name}`);
}

/** The text of an event about a container: its id, which changes with each attempt, gives way to its name, so that events add up. */
export function containerEventMessage({ id, name }: { id: string; name: string }, message: string): string {
  return id === '' ? message : message.replaceAll(id, name);
}
