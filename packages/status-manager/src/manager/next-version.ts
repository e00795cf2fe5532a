import { formatTime, isStaticPod, type NodeAgentError, type Pod, type PodStatus, type VersionedPodStatus } from '@nodeagent/api';
import { equalByKubelet } from '../compare/equal.js';
import { normalizeStatus } from '../compare/normalize.js';
import { checkContainerStateTransition } from '../compare/state-transition.js';
import { updateLastTransitionTimes } from '../compare/transition-time.js';

/** What {@link nextVersion} decides by. */
export interface NextVersionInput {
  pod: Pod;
  newStatus: PodStatus;
  cached: VersionedPodStatus | undefined;
  /** What is compared with when nothing is cached: the API server's status. */
  apiStatus: PodStatus;
  /** Store it even if it says nothing new. */
  force: boolean;
  /** The pod's worker is through. */
  finished: boolean;
  /** Clock time in milliseconds. */
  now: number;
}

/** What becomes of a status: stored, ignored because it says nothing new, or refused because it may not follow the old one. */
export type NextVersion =
  | { outcome: 'stored'; entry: VersionedPodStatus; oldStatus: PodStatus }
  | { outcome: 'unchanged' }
  | { outcome: 'refused'; error: NodeAgentError };

/** Decides on a new status of a pod. Nothing of the input is changed; the entry shares what did not have to be changed. */
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
