import type { Clock, Pod } from '@nodeagent/api';
import { afterFailure, type ExponentialBackoff, podUid } from '@nodeagent/api/helpers';
import { isSafeToRetry, safeToRetryAt } from '../operations/retry-time.js';
import type { Populator } from './populator.js';

/** Adds the pods to the desired state as they become due. */
export interface PodProcessing {
  /** Starts the processing of the pods that are due. Returns when the next one is due, in monotonic milliseconds. */
  run(signal: AbortSignal): number;
  /** Makes the pod due again at once. */
  reprocess(podUid: string): void;
  /** Resolves when no pod is in progress. */
  idle(): Promise<void>;
}

export interface PodProcessingOptions {
  populator: Populator;
  pods(): readonly Pod[];
  sourcesReady(): boolean;
  clock: Pick<Clock, 'monotonic'>;
  /** Called when a pod has been processed, and when all pods have been for the first time. */
  onProcessed(): void;
}

export function createPodProcessing({ populator, pods, sourcesReady, clock, onProcessed }: PodProcessingOptions): PodProcessing {
  /** Pods that could not be processed, with the back-off of the next attempt. */
  const failures = new Map<string, ExponentialBackoff>();
  const processing = new Set<Promise<void>>();
  let isAddingAll = false;

  function processPod(uid: string, signal: AbortSignal): void {
    const work = populator.process(uid, signal).then((done) => {
      processing.delete(work);
      if (done) failures.delete(uid);
      else failures.set(uid, afterFailure(failures.get(uid), undefined, clock.monotonic()));
      onProcessed();
    });
    processing.add(work);
  }

  /** The pods of all sources are in the desired state once those in progress have been processed. */
  function addAll(): void {
    isAddingAll = true;
    void Promise.all(processing).then(() => {
      populator.hasAddedPods = true;
      onProcessed();
    });
  }

  function forgetRemovedPods(): void {
    if (failures.size === 0) return;
    const known = new Set(pods().map(podUid));
    for (const uid of failures.keys()) if (!known.has(uid)) failures.delete(uid);
  }

  return {
    run(signal) {
      const now = clock.monotonic();
      // Read first, so that the pods of the last source are among those processed below.
      const ready = sourcesReady();
      let next = Number.POSITIVE_INFINITY;
      for (const uid of populator.unprocessed()) {
        const failure = failures.get(uid);
        if (failure === undefined || isSafeToRetry(failure, now)) processPod(uid, signal);
        else next = Math.min(next, safeToRetryAt(failure));
      }
      if (ready && !populator.hasAddedPods && !isAddingAll) addAll();
      populator.removeTerminatedPods();
      forgetRemovedPods();
      return next;
    },
    reprocess(uid) {
      failures.delete(uid);
      populator.reprocess(uid);
    },
    async idle() {
      await Promise.all(processing);
    },
  };
}
