import { abandonAtDeadline, type Clock, errorCode } from '@nodeagent/api';
import type { RuntimeService } from '@nodeagent/cri-api';
import { deadlineExceeded } from './errors.js';

export interface WaitForContainerExitOptions {
  cri: Pick<RuntimeService, 'containerStatus'>;
  containerId: string;
  clock: Clock;
  signal: AbortSignal;
  /** Polling period in milliseconds. Default 1 s. */
  periodMs?: number;
  /** Timeout of a CRI call in milliseconds. Default 2 minutes. */
  runtimeRequestTimeoutMs?: number;
}

/**
 * Resolves when the container no longer runs. Polls the runtime every second, as a kubelet does for `kubectl logs -f`. While the runtime
 * is unavailable, it keeps polling. For `LogReadOptions.ended`, without a source of container events. Rejects when the signal aborts,
 * and with the runtime's other errors.
 */
export async function waitForContainerExit(options: WaitForContainerExitOptions): Promise<void> {
  const { cri, containerId, clock, signal, periodMs = 1_000, runtimeRequestTimeoutMs: timeoutMs = 120_000 } = options;
  const error = () => deadlineExceeded('ContainerStatus', timeoutMs);
  for (;;) {
    try {
      const { status } = await abandonAtDeadline({ clock, timeoutMs, signal, error }, (limited) =>
        cri.containerStatus({ containerId }, { signal: limited, timeoutMs }),
      );
      if (status?.state !== 'CONTAINER_RUNNING') return;
    } catch (failure) {
      signal.throwIfAborted();
      if (errorCode(failure) !== 'CRI_UNAVAILABLE') throw failure;
    }
    await clock.sleep(periodMs, signal);
  }
}
