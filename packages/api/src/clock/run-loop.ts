import type { Startable } from '../contracts/lifecycle.js';

/** A background loop that can be started and stopped repeatedly. */
export interface RunLoop extends Startable {
  /** True from `start` until the loop has ended. */
  readonly isRunning: boolean;
}

/**
 * `run` must continue until its signal aborts, and must never reject. `start` calls it before it returns. A `start` during a stop runs the
 * loop again after the previous run has ended.
 */
export function createRunLoop(run: (signal: AbortSignal) => Promise<unknown>): RunLoop {
  let running: { controller: AbortController; ended: Promise<unknown> } | undefined;
  return {
    get isRunning() {
      return running !== undefined;
    },
    async start(signal) {
      if (signal?.aborted || running?.controller.signal.aborted === false) return;
      const controller = new AbortController();
      const abort = () => controller.abort(signal?.reason);
      signal?.addEventListener('abort', abort, { once: true });
      const work = running === undefined ? run(controller.signal) : running.ended.then(() => run(controller.signal));
      const ended = work.finally(() => {
        signal?.removeEventListener('abort', abort);
        if (running?.controller === controller) running = undefined;
      });
      running = { controller, ended };
    },
    async stop() {
      const stopped = running;
      stopped?.controller.abort();
      await stopped?.ended;
    },
  };
}
