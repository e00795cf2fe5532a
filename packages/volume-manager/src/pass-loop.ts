import { type Clock, createAbortController, type Startable } from '@nodeagent/api';

/** Minimum time between the starts of two passes: changes within this time share a pass. */
const gapMs = 10;

export interface PassLoop extends Startable {
  /** Schedules a pass. */
  trigger(): void;
}

/**
 * Runs a pass at the start, after each {@link PassLoop.trigger}, and at the time (monotonic milliseconds) that the last pass returned; none
 * in between. Each start runs `before` first; if it rejects, the loop does not start.
 */
export function createPassLoop(options: {
  clock: Clock;
  before(signal: AbortSignal): Promise<void>;
  pass(): number;
  onError(error: unknown): void;
}): PassLoop {
  const { clock, before, pass, onError } = options;
  let running: { controller: AbortController; started: Promise<void>; ended: Promise<void> } | undefined;
  let isDue = false;
  let endSleep: (() => void) | undefined;

  /** Resolves when the pass is due, triggered, or the signal aborts. */
  const sleep = (due: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const done = () => {
        timer?.cancel();
        signal.removeEventListener('abort', done);
        endSleep = undefined;
        resolve();
      };
      const timer = due === Number.POSITIVE_INFINITY ? undefined : clock.setTimeout(done, due - clock.monotonic());
      signal.addEventListener('abort', done, { once: true });
      endSleep = done;
    });

  async function run(started: Promise<void>, signal: AbortSignal): Promise<void> {
    await started;
    while (!signal.aborted) {
      isDue = false;
      const startedAt = clock.monotonic();
      let next = Number.POSITIVE_INFINITY;
      try {
        next = pass();
      } catch (error) {
        onError(error);
        next = startedAt + 1000;
      }
      if (!isDue) await sleep(next, signal);
      if (!signal.aborted) await clock.sleep(startedAt + gapMs - clock.monotonic(), signal).catch(() => {});
    }
  }

  return {
    trigger() {
      isDue = true;
      endSleep?.();
    },
    start(signal) {
      if (running !== undefined) return running.started;
      if (signal?.aborted) return Promise.reject(signal.reason);
      // Every operation in flight adds a listener.
      const controller = createAbortController();
      const abort = () => controller.abort(signal?.reason);
      signal?.addEventListener('abort', abort, { once: true });
      const started = before(controller.signal);
      const ended = run(started, controller.signal)
        .catch(onError)
        .finally(() => {
          signal?.removeEventListener('abort', abort);
          if (running?.controller === controller) running = undefined;
        });
      running = { controller, started, ended };
      return started;
    },
    async stop() {
      const stopped = running;
      stopped?.controller.abort();
      await stopped?.ended;
    },
  };
}
