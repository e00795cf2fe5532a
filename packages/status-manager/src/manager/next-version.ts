import type { NodeAgentError, Pod, PodStatus, VersionedPodStatus } from '@nodeagent/api';
import { formatTime, isStaticPod } from '@nodeagent/api/helpers';
import { equalByKubelet } from '../compare/equal.js';
import { normalizeStatus } from '../compare/normalize.js';
import { checkContainerStateTransition } from '../compare/state-transition.js';
import { updateLastTransitionTimes } from '../compare/transition-time.js';

/** Inputs of {@link nextVersion}. */
export interface NextVersionInput {
  pod: Pod;
  newStatus: PodStatus;
  cached: VersionedPodStatus | undefined;
  /** The API server's status, for the comparison if none is cached. */
  apiStatus: PodStatus;
  /** Store it even if it is unchanged. */
  force: boolean;
  /** Whether the pod's worker has finished. */
  finished: boolean;
  /** Wall-clock time in milliseconds. */
  now: number;
}

/** The decision on a status: stored, ignored because it is unchanged, or refused because the transition is invalid. */
export type NextVersion =
  | { outcome: 'stored'; entry: VersionedPodStatus; oldStatus: PodStatus }
  | { outcome: 'unchanged' }
  | { outcome: 'refused'; error: NodeAgentError };

/** Decides on a new status of a pod. Does not change its input; the entry shares unchanged parts. */
export function nextVersion({ pod, newStatus, cached, apiStatus, force, finished, now }: NextVersionInput): NextVersion {
  const oldStatus = cached?.status ?? apiStatus;
  const error = pod.spec && checkContainerStateTransition(oldStatus, newStatus, pod.spec);
  if (error) return { outcome: 'refused', error };

  const nowText = formatTime(now);
  const observedGeneration = Math.max(oldStatus.observedGeneration ?? 0, newStatus.observedGeneration ?? 0);
  const status: PodStatus = { ...newStatus, startTime: oldStatus.startTime || newStatus.startTime || nowText };
  if (observedGeneration > 0) status.observedGeneration = observedGeneration;
  if (cached && !force && equalByKubelet(cached.status, normalizeStatus(pod, status))) return { outcome: 'unchanged' };

  if (newStatus.conditions) status.conditions = updateLastTransitionTimes(newStatus.conditions, oldStatus, nowText);
  const entry: VersionedPodStatus = {
    status: normalizeStatus(pod, status),
    version: (cached?.version ?? 0) + 1,
    podName: pod.metadata?.name ?? '',
    podNamespace: pod.metadata?.namespace ?? '',
    at: cached?.at ?? now,
    podIsFinished: finished || (cached?.podIsFinished === true && !isStaticPod(pod)),
  };
  return { outcome: 'stored', entry, oldStatus };
}
