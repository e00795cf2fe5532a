import type { Clock } from '../contracts/clock.js';
import { afterFailure, type ExponentialBackoff, isSafeToRetry } from './exponential-backoff.js';
import { operationBackOff, operationExists } from './operation-errors.js';
import { quoteText } from './text.js';

/** Keeps two operations of one name from running at a time, and one that failed from being repeated at once (the kubelet's GoRoutineMap). */
export interface OperationMap {
  /** Throws `OperationAlreadyExists` while one of the name runs, and `OperationBackOff` while one waits after a failure. */
  begin(name: string): {
    /** Ends it, successfully without an error. Returns the wait before the next try after a failure. */
    finish(error?: unknown): ExponentialBackoff | undefined;
  };
  isPending(name: string): boolean;
}

/** Without `backOffOnError` a failed operation may be repeated at once. */
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
