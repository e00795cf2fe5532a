import { type Clock, type EventRecorder, errorCode, errorHint, errorMessage, type Logger, type NodeAgentError } from '@nodeagent/api';
import { podReference } from '@nodeagent/api/helpers';
import { volumeManagerErrorCodes } from '../errors.js';
import type { VolumeMetrics } from '../metrics.js';
import type { VolumeOperation } from '../reconciler/plan.js';
import type { OperationContext } from './context.js';
import { createNestedPendingOperations, type OperationKey, operationKeyText } from './nested-pending-operations.js';
import { failedOperationText } from './operation-errors.js';
import { type Task, taskOf } from './task.js';

export interface ExecutorOptions {
  context: OperationContext;
  clock: Clock;
  recorder: EventRecorder;
  logger: Logger;
  metrics: VolumeMetrics;
  /** Called when an operation has finished. */
  onSettled(): void;
}

/** Runs operations, one at a time for each volume, with exponential back-off after a failure. */
export interface OperationExecutor {
  /** Starts the operation unless one is running on the volume or is in back-off; never throws. */
  execute(operation: VolumeOperation, signal: AbortSignal): void;
  /** Runs a task that is not part of a plan under the same rules. */
  run(task: Task, signal: AbortSignal): void;
  isPending(volumeName: string, podUid?: string): boolean;
  /** Whether an operation is changing the pod's folder. */
  isBusyFor(podUid: string): boolean;
  /** The earliest retry time (monotonic milliseconds) of the operations that did not start since the last call; infinity without any. */
  takeRetryAt(): number;
  /** Resolves when no operation is running. */
  idle(): Promise<void>;
}

/** Retry delay after an unmet precondition. */
const preconditionMs = 500;

export function createOperationExecutor({ context, clock, recorder, logger, metrics, onSettled }: ExecutorOptions): OperationExecutor {
  const pending = createNestedPendingOperations({ clock });
  const inFlight = new Map<Promise<void>, string | undefined>();
  let retryAt = Number.POSITIVE_INFINITY;

  const refused = (error: unknown) => {
    const isWaiting = errorCode(error) === volumeManagerErrorCodes.operationBackOff;
    const isEarly = errorCode(error) === volumeManagerErrorCodes.failedPrecondition;
    if (isWaiting) retryAt = Math.min(retryAt, Number((error as NodeAgentError).details.retryAt));
    else if (isEarly) retryAt = Math.min(retryAt, clock.monotonic() + preconditionMs);
    else if (errorCode(error) !== volumeManagerErrorCodes.operationExists) throw error;
  };

  const finish = (task: Task, key: OperationKey, operation: ReturnType<typeof pending.begin>, error: unknown, signal: AbortSignal) => {
    // An operation that stop() aborted has not failed.
    const backoff = operation.finish(signal.aborted ? undefined : error);
    if (backoff === undefined || signal.aborted) return;
    const isEarly = errorCode(error) === volumeManagerErrorCodes.failedPrecondition;
    const level = task.event && !isEarly ? 'debug' : 'warn';
    logger[level]({ volume: task.volumeName, operation: task.name }, failedOperationText(operationKeyText(key), backoff, clock.now()));
    if (task.event && !isEarly) {
      const { pod, reason } = task.event;
      recorder.event(podReference(pod), 'Warning', reason, errorMessage(error), undefined, errorHint(error));
    }
  };

  const executor: OperationExecutor = {
    execute(operation, signal) {
      if (operation.type === 'MarkVolumeAsDetached') context.actual.markVolumeAsDetached(operation.volume.volumeName);
      else executor.run(taskOf(context, operation, metrics), signal);
    },
    run(task, signal) {
      const key = { volumeName: task.volumeName, podUid: task.podUid, nodeName: '' };
      let operation: ReturnType<typeof pending.begin>;
      try {
        task.precondition?.();
        operation = pending.begin(key, task.name);
      } catch (error) {
        refused(error);
        return;
      }
      const began = clock.monotonic();
      const observe = (failed: boolean) =>
        signal.aborted || metrics.operation(task.plugin, task.spec, task.name, failed, (clock.monotonic() - began) / 1000);
      const work = task
        .run(signal)
        .then(
          () => {
            observe(false);
            finish(task, key, operation, undefined, signal);
          },
          (error: unknown) => {
            observe(true);
            finish(task, key, operation, error ?? new Error('unknown error'), signal);
          },
        )
        .finally(() => {
          inFlight.delete(work);
          onSettled();
        });
      inFlight.set(work, task.worksFor);
    },
    isPending: (volumeName, podUid = '') => pending.isPending({ volumeName, podUid, nodeName: '' }),
    isBusyFor: (podUid) => [...inFlight.values()].includes(podUid),
    takeRetryAt() {
      const taken = retryAt;
      retryAt = Number.POSITIVE_INFINITY;
      return taken;
    },
    async idle() {
      await Promise.all(inFlight.keys());
    },
  };
  return executor;
}
