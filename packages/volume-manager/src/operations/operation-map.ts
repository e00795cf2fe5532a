import type { Clock } from '@nodeagent/api';
import { afterFailure, type ExponentialBackoff, quoteText } from '@nodeagent/api/helpers';
import { operationBackOff, operationExists } from './operation-errors.js';
import { isSafeToRetry } from './retry-time.js';

/** Prevents concurrent operations with the same name, and delays a failed one with exponential back-off (the kubelet's GoRoutineMap). */
export interface OperationMap {
  /** Throws `OperationAlreadyExists` while an operation with the name runs, and `OperationBackOff` during the back-off after a failure. */
  begin(name: string): {
    /** Ends the operation; without an error it succeeded. After a failure, returns the back-off before the next attempt. */
    finish(error?: unknown): ExponentialBackoff | undefined;
  };
  isPending(name: string): boolean;
}

/** Without `backOffOnError` a failed operation may run again immediately. */
export function createOperationMap(options: { clock: Pick<Clock, 'now' | 'monotonic'>; backOffOnError?: boolean }): OperationMap {
  const { clock, backOffOnError = true } = options;
  const operations = new Map<string, { pending: boolean; backoff: ExponentialBackoff | undefined }>();
  return {
    begin(name) {
      const before = operations.get(name);
      if (before?.pending) throw operationExists(quoteText(name));
      const now = clock.monotonic();
      if (before?.backoff && !isSafeToRetry(before.backoff, now)) throw operationBackOff(name, before.backoff, now, clock.now());
      const operation = { pending: true, backoff: before?.backoff };
      operations.set(name, operation);
      return {
        finish(error) {
          if (error === undefined || !backOffOnError) {
            operations.delete(name);
            return undefined;
          }
          operation.pending = false;
          operation.backoff = afterFailure(operation.backoff, error, clock.monotonic());
          return operation.backoff;
        },
      };
    },
    isPending: (name) => operations.get(name)?.pending ?? false,
  };
}
