import { abandonAtDeadline, type Clock, type Logger, type Pod, type PodStatus } from '@nodeagent/api';
import { podKey, terminatedByKubelet } from '@nodeagent/api/helpers';
import type { ShutdownGroup } from './shutdown-groups.js';

/** How a pod is killed when the node shuts down. */
export interface ShutdownKill {
  /** Grace period in seconds, instead of the pod's own. */
  gracePeriodOverride: number;
  podStatusFunc(status: PodStatus): PodStatus;
  /** Ends the wait, not the kill. */
  signal: AbortSignal;
}

interface TerminationPorts {
  killPod(pod: Pod, kill: ShutdownKill): Promise<void>;
  waitForUnmount?(pods: readonly Pod[], signal: AbortSignal): Promise<void>;
  clock: Clock;
  logger: Logger;
}

const message = 'Pod was terminated in response to imminent node shutdown.';

/** The status of a pod that was terminated because its node shuts down. `now` is in milliseconds since 1970. */
export function shutdownStatus(pod: Pod, before: PodStatus, now: number): PodStatus {
  const status = terminatedByKubelet(pod, before, { reason: 'Terminated', message }, now);
  return before.phase === 'Succeeded' ? { ...status, phase: before.phase } : status;
}

/** Resolves when all pods have terminated and their volumes are unmounted, or when the group's period ends. */
export async function terminateGroup(
  { priority, shutdownGracePeriodSeconds, pods }: ShutdownGroup,
  ports: TerminationPorts,
  signal: AbortSignal,
): Promise<void> {
  const { clock, logger, waitForUnmount } = ports;
  const error = () => new Error('the shutdown grace period of the group has ended');
  const deadline = { clock, timeoutMs: shutdownGracePeriodSeconds * 1000, signal, error };
  try {
    await abandonAtDeadline(deadline, async (limited) => {
      await Promise.all(pods.map(({ pod, gracePeriodSeconds }) => kill(pod, gracePeriodSeconds, ports, limited)));
      await waitForUnmount?.(
        pods.map(({ pod }) => pod),
        limited,
      );
    });
  } catch (cause) {
    signal.throwIfAborted();
    logger.warn({ priority, err: cause }, 'pods or volumes of a shutdown group are left after its grace period');
  }
}

async function kill(
  pod: Pod,
  gracePeriodOverride: number,
  { killPod, clock, logger }: TerminationPorts,
  signal: AbortSignal,
): Promise<void> {
  logger.info({ pod: podKey(pod), gracePeriodOverride }, 'killing a pod because the node shuts down');
  const podStatusFunc = (before: PodStatus) => shutdownStatus(pod, before, clock.now());
  await killPod(pod, { gracePeriodOverride, podStatusFunc, signal }).catch((error) => {
    if (!signal.aborted) logger.warn({ pod: podKey(pod), err: error }, 'failed to kill a pod for the shutdown');
  });
}
