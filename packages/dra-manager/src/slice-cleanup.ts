import { type Clock, isApiReason, type Logger, type Random } from '@nodeagent/api';

/** Deletes ResourceSlices. */
export interface ResourceSliceDeleter {
  /** Deletes the ResourceSlices that match the field selector, such as `spec.nodeName=n1,spec.driver=gpu.example.com`. */
  deleteCollection(options: { fieldSelector: string; signal?: AbortSignal }): Promise<void>;
}

export interface SliceCleanupOptions {
  nodeName: string;
  slices: ResourceSliceDeleter;
  clock: Clock;
  random: Random;
  logger: Logger;
}

/** Deletes the ResourceSlices of drivers that are not available, so that the scheduler does not place pods on their devices. */
export interface SliceCleanup {
  /** Deletes the slices of the driver 30 s from now. Does nothing while a deletion is pending. */
  schedule(driver: string): void;
  /** Cancels the pending deletion of the driver. */
  cancel(driver: string): void;
  /** Deletes the slices of all drivers of the node, in the background. */
  deleteAll(): void;
  /** When slices will be deleted, on the monotonic clock; by driver. */
  pending(): [driver: string, at: number][];
  /** Cancels everything and waits for running deletions. */
  stop(): Promise<void>;
}

/** How long a driver may be unavailable, for example during its restart, before its slices are deleted. */
const graceMs = 30_000;
const firstDelayMs = 1_000;
const maxDelayMs = 300_000;
const jitter = 0.2;

/** The field selector of the ResourceSlices to delete: those of one driver, or all of the node. */
export function sliceSelector(nodeName: string, driver?: string): string {
  return driver === undefined ? `spec.nodeName=${nodeName}` : `spec.driver=${driver},spec.nodeName=${nodeName}`;
}

export function createSliceCleanup({ nodeName, slices, clock, random, logger }: SliceCleanupOptions): SliceCleanup {
  const deletions = new Map<string, { at: number; controller: AbortController }>();
  const running = new Set<Promise<void>>();
  let all = new AbortController();

  async function deleteSlices(fieldSelector: string, signal: AbortSignal): Promise<void> {
    for (let delayMs = firstDelayMs; ; delayMs = Math.min(2 * delayMs, maxDelayMs)) {
      try {
        return await slices.deleteCollection({ fieldSelector, signal });
      } catch (error) {
        if (signal.aborted || isApiReason(error, 'NotFound')) return;
        logger.warn({ fieldSelector, err: error }, 'cannot delete ResourceSlices, retrying');
      }
      await clock.sleep(delayMs * (1 + jitter * random()), signal);
    }
  }

  function run(work: Promise<void>): void {
    const ended = work.catch(() => {}).finally(() => running.delete(ended));
    running.add(ended);
  }

  async function deleteLater(driver: string, { signal }: AbortController): Promise<void> {
    await clock.sleep(graceMs, signal);
    await deleteSlices(sliceSelector(nodeName, driver), signal);
    if (!signal.aborted) deletions.delete(driver);
  }

  return {
    schedule(driver) {
      if (deletions.has(driver)) return;
      const controller = new AbortController();
      deletions.set(driver, { at: clock.monotonic() + graceMs, controller });
      run(deleteLater(driver, controller));
    },
    cancel(driver) {
      deletions.get(driver)?.controller.abort();
      deletions.delete(driver);
    },
    deleteAll: () => run(deleteSlices(sliceSelector(nodeName), all.signal)),
    pending: () => Array.from(deletions, ([driver, { at }]) => [driver, at]),
    async stop() {
      all.abort();
      all = new AbortController();
      for (const { controller } of deletions.values()) controller.abort();
      deletions.clear();
      await Promise.all(running);
    },
  };
}
