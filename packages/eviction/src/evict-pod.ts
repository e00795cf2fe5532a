import type { Counter, Pod, PodStatus } from '@nodeagent/api';
import { formatPod, isCriticalPod, podKey, podReference, terminatedByKubelet } from '@nodeagent/api/helpers';
import { evictedReason } from './admit.js';
import type { ResolvedOptions } from './options.js';
import { timedCall } from './timed-call.js';

/** Added to the kill timeout of the pod workers, which report their timeout with an event. */
const killReserveMs = 5_000;

/** Why a pod is evicted. */
export interface Eviction {
  /** The signal's name in the metric. */
  signal: string;
  message: string;
  annotations?: Readonly<Record<string, string>>;
  /** Whether the pod gets the condition DisruptionTarget: it is evicted because of node pressure, not because it exceeds its limits. */
  isDisruption?: boolean;
}

/** Evicts a pod: resolves to false for a critical pod, which is never evicted, else to true, even if the kill fails or times out. */
export function createPodEvictor(
  { recorder, killPod, clock, logger }: Pick<ResolvedOptions, 'recorder' | 'killPod' | 'clock' | 'logger'>,
  evictions: Counter,
) {
  return async (pod: Pod, why: Eviction, gracePeriodOverride: number, signal: AbortSignal): Promise<boolean> => {
    if (isCriticalPod(pod)) {
      logger.error({ pod: podKey(pod) }, 'eviction manager: cannot evict a critical pod');
      return false;
    }
    const { message, annotations, isDisruption } = why;
    recorder.event(podReference(pod), 'Warning', evictedReason, message, annotations);
    const timeoutMs = Math.max(10, 1.5 * gracePeriodOverride) * 1000 + killReserveMs;
    const failure = { reason: evictedReason, message };
    const podStatusFunc = (before: PodStatus) =>
      isDisruption ? terminatedByKubelet(pod, before, failure, clock.now()) : { ...before, phase: 'Failed', ...failure };
    try {
      await timedCall({ clock, timeoutMs, what: `killing pod ${formatPod(pod)}`, signal }, (limited) =>
        killPod(pod, { evict: true, gracePeriodOverride, podStatusFunc, signal: limited }),
      );
      logger.info({ pod: podKey(pod) }, 'eviction manager: pod is evicted successfully');
    } catch (error) {
      signal.throwIfAborted();
      logger.error({ err: error, pod: podKey(pod) }, 'eviction manager: pod failed to evict');
    }
    evictions.inc({ eviction_signal: why.signal });
    return true;
  };
}
