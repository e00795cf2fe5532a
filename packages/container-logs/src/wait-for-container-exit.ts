import { abandonAtDeadline, type Clock, errorCode } from '@nodeagent/api';
import type { RuntimeService } from '@nodeagent/cri-api';
import { deadlineExceeded } from './errors.js';

export interface ContainerEndedOptions {
  cri: Pick<RuntimeService, 'containerStatus'>;
  containerId: string;
  clock: Clock;
  signal: AbortSignal;
  /** Time between two questions, in milliseconds. Default 1 s. */
  periodMs?: number;
  /** How long an answer may take, in milliseconds. Default 2 minutes. */
  runtimeRequestTimeoutMs?: number;
}

/**
 * Resolves when the container does not run any more, asking the runtime each second as a kubelet does for a log that is followed; a
 * runtime that is away ends nothing. For `LogReadOptions.ended`, where nobody tells what happens to containers. Rejects when the
 * signal aborts and with the runtime's own errors.
 */
export async function untilContainerEnds(options: ContainerEndedOptions): Promise<void> {
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
