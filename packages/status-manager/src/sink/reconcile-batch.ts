import type { Clock, Timer } from '@nodeagent/api';

/** Delay before a status that another client changed is written again. */
const reconcileMs = 10_000;

/** Pods to reconcile together. */
export interface ReconcileBatch {
  add(apiUid: string): void;
  delete(apiUid: string): void;
  cancel(): void;
}

/** @param reconcile - called 10 s after the first pod of a batch was added */
export function createReconcileBatch(clock: Pick<Clock, 'setTimeout'>, reconcile: (apiUids: readonly string[]) => void): ReconcileBatch {
  const apiUids = new Set<string>();
  let timer: Timer | undefined;

  const isDue = () => {
    timer = undefined;
    const batch = [...apiUids];
    apiUids.clear();
    reconcile(batch);
  };

  return {
    add(apiUid) {
      apiUids.add(apiUid);
      timer ??= clock.setTimeout(isDue, reconcileMs);
    },
    delete: (apiUid) => void apiUids.delete(apiUid),
    cancel: () => timer?.cancel(),
  };
}
