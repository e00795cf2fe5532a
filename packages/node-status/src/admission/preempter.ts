import {
  type EventRecorder,
  errorMessage,
  formatPod,
  type Logger,
  type Metrics,
  NodeAgentError,
  noEvents,
  noMetrics,
  type Pod,
  podReference,
  silentLogger,
} from '@nodeagent/api';
import { nodeStatusErrorCodes } from '../errors.js';
import { preemptionVictims } from './preemption.js';
import type { ResourceRequirement } from './requirement.js';

/** What a preempted pod's status says: its phase is Failed. */
export const preemptedStatus = {
  reason: 'Preempting',
  message: 'Preempted in order to admit critical pod',
  /** Of the condition DisruptionTarget. */
  conditionReason: 'TerminationByKubelet',
} as const;

export interface PreempterOptions {
  /** The pods that live on the node. */
  activePods(): readonly Pod[];
  /** Kills the pod and reports it as {@link preemptedStatus} says; resolves when its containers are gone. */
  killPod(pod: Pod, signal?: AbortSignal): Promise<void>;
  recorder?: EventRecorder;
  logger?: Logger;
  metrics?: Metrics;
}

/**
 * Makes room for critical pods: the `preempt` of {@link createPredicateAdmitHandler}. It rejects if not enough pods may be killed. A pod
 * that could not be killed is left to its worker, which goes on trying.
 */
export function createPreempter(options: PreempterOptions) {
  const { activePods, killPod, recorder = noEvents, logger = silentLogger, metrics = noMetrics } = options;
  const preemptions = metrics.counter({
    name: 'kubelet_preemptions',
    help: 'Cumulative number of pod preemptions by preemption resource',
    labels: ['preemption_signal'],
  });
  return async (pod: Pod, missing: readonly ResourceRequirement[], signal?: AbortSignal): Promise<void> => {
    let victims: Pod[];
    try {
      victims = preemptionVictims(pod, activePods(), missing);
    } catch (cause) {
      const message = `preemption: error finding a set of pods to preempt: ${errorMessage(cause)}`;
      throw new NodeAgentError(nodeStatusErrorCodes.noPodsToPreempt, message, { cause });
    }
    for (const victim of victims) {
      recorder.event(podReference(victim), 'Warning', preemptedStatus.reason, preemptedStatus.message);
      try {
        await killPod(victim, signal);
      } catch (error) {
        signal?.throwIfAborted();
        logger.error({ pod: formatPod(victim), error: errorMessage(error) }, 'failed to evict a pod for a critical one');
        continue;
      }
      preemptions.inc({ preemption_signal: missing[0]?.resource ?? '' });
    }
  };
}
