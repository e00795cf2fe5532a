import type { Clock, Informer, KubeObject } from '@nodeagent/api';

/** Whether the informer has its first list, now or within `ms` milliseconds. Rejects with the signal's reason when it aborts first. */
export function untilSynced<T extends KubeObject>(informer: Informer<T>, ms: number, clock: Clock, signal?: AbortSignal): Promise<boolean> {
  if (informer.hasSynced) return Promise.resolve(true);
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const end = () => {
      timer.cancel();
      forget();
      signal?.removeEventListener('abort', abort);
    };
    const decide = () => {
      end();
      resolve(informer.hasSynced);
    };
    const abort = () => {
      end();
      reject(signal?.reason);
    };
    const timer = clock.setTimeout(decide, ms);
    const forget = informer.onChange((change) => {
      if (change === undefined) decide();
    });
    signal?.addEventListener('abort', abort, { once: true });
  });
}
