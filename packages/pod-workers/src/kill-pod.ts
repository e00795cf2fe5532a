import { type Clock, type EventRecorder, type KillPodNowOptions, NodeAgentError, type Pod, type PodWorkers } from '@nodeagent/api';
import { podReference, podUid } from '@nodeagent/api/helpers';
import { podWorkersErrorCodes, stoppedError } from './errors.js';
import { killTimeoutSeconds } from './grace-period.js';

/** Options of {@link createPodKiller}. */
export interface PodKillerOptions {
  updatePod: PodWorkers['updatePod'];
  clock: Clock;
  recorder: EventRecorder;
}

/** Kills pods and waits until their containers have stopped. `stop` rejects all current and later calls. */
export function createPodKiller({ updatePod, clock, recorder }: PodKillerOptions) {
  const waiting = new Set<(error: unknown) => void>();
  let stopped = false;

  return {
    killPodNow(pod: Pod, { evict = false, gracePeriodOverride, podStatusFunc, signal }: KillPodNowOptions = {}): Promise<void> {
      const timeoutMs = killTimeoutSeconds(gracePeriodOverride ?? pod.spec?.terminationGracePeriodSeconds ?? 0) * 1000;
      return new Promise((resolve, reject) => {
        if (stopped) return reject(stoppedError());
        if (signal?.aborted) return reject(signal.reason);
        const settle = () => {
          timer.cancel();
          waiting.delete(fail);
          signal?.removeEventListener('abort', abort);
        };
        const fail = (error: unknown) => {
          settle();
          reject(error);
        };
        const abort = () => fail(signal?.reason);
        const timer = clock.setTimeout(() => {
          const message = 'Container runtime did not kill the pod within specified grace period.';
          recorder.event(podReference(pod), 'Warning', 'ExceededGracePeriod', message);
          fail(timeoutError(pod, timeoutMs));
        }, timeoutMs);
        waiting.add(fail);
        signal?.addEventListener('abort', abort, { once: true });
        const onCompleted = () => {
          settle();
          resolve();
        };
        updatePod({
          type: 'kill',
          pod,
          killOptions: {
            evict,
            onCompleted,
            ...(gracePeriodOverride !== undefined && { gracePeriodOverride }),
            ...(podStatusFunc && { podStatusFunc }),
          },
        });
      });
    },
    stop(): void {
      stopped = true;
      for (const fail of [...waiting]) fail(stoppedError());
    },
  };
}

function timeoutError(pod: Pod, timeoutMs: number): NodeAgentError {
  return new NodeAgentError(podWorkersErrorCodes.killTimeout, 'timeout waiting to kill pod', {
    retryable: true,
    details: { podUid: podUid(pod), timeoutMs },
  });
}
