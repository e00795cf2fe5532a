import {
  type Clock,
  type EventRecorder,
  errorMessage,
  type Logger,
  type Metrics,
  NodeAgentError,
  noEvents,
  noMetrics,
  type Pod,
  type PodStatus,
  silentLogger,
  systemClock,
} from '@nodeagent/api';
import { podKey, podReference, terminatedByKubelet } from '@nodeagent/api/helpers';
import { podAdmissionErrorCodes } from './errors.js';
import type { PredicateAdmitAttributes } from './predicate-admit-handler.js';
import { preemptionVictims } from './preemption.js';
import type { ResourceRequirement } from './requirement.js';

const preempted = {
  reason: 'Preempting',
  message: 'Preempted in order to admit critical pod',
  conditionMessage: 'Pod was preempted by Kubelet to accommodate a critical pod.',
};

export interface PreempterOptions {
  /** Kills the pod and reports the status that `podStatusFunc` returns; resolves when its containers have terminated. */
  killPod(pod: Pod, podStatusFunc: (before: PodStatus) => PodStatus, signal?: AbortSignal): Promise<void>;
  clock?: Clock;
  recorder?: EventRecorder;
  logger?: Logger;
  metrics?: Metrics;
}

/**
 * Creates the `preempt` of {@link createPredicateAdmitHandler}. It kills only pods whose resources count at the admission, and rejects if
 * those that may be preempted free too little. If a pod cannot be killed, its pod worker retries.
 */
export function createPreempter(options: PreempterOptions) {
  const { killPod, clock = systemClock, recorder = noEvents, logger = silentLogger, metrics = noMetrics } = options;
  const preemptions = metrics.counter({
    name: 'kubelet_preemptions',
    help: 'Cumulative number of pod preemptions by preemption resource',
    labels: ['preemption_signal'],
  });
  return async (
    { pod, otherPods }: PredicateAdmitAttributes,
    missing: readonly ResourceRequirement[],
    signal?: AbortSignal,
  ): Promise<void> => {
    let victims: Pod[];
    try {
      victims = preemptionVictims(pod, otherPods, missing);
    } catch (cause) {
      const message = `preemption: error finding a set of pods to preempt: ${errorMessage(cause)}`;
      throw new NodeAgentError(podAdmissionErrorCodes.noPodsToPreempt, message, { cause });
    }
    for (const victim of victims) {
      recorder.event(podReference(victim), 'Warning', preempted.reason, preempted.message);
      try {
        await killPod(victim, (before) => terminatedByKubelet(victim, before, preempted, clock.now()), signal);
      } catch (error) {
        signal?.throwIfAborted();
        logger.error({ pod: podKey(victim), err: error }, 'failed to evict a pod for a critical one');
        continue;
      }
      preemptions.inc({ preemption_signal: missing[0]?.resource ?? '' });
    }
  };
}
