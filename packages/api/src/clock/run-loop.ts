import type { Startable } from '../contracts/lifecycle.js';

/** Work that is started and stopped any number of times. */
export interface RunLoop extends Startable {
  /** From a start until its work has ended. */
  readonly isRunning: boolean;
}

/**
 * `run` goes on until its signal aborts, and never rejects; it is called before `start` returns. A start while the last run is ending
 * begins when that has ended.
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
      const begun = running === undefined ? run(controller.signal) : running.ended.then(() => run(controller.signal));
      const ended = begun.finally(() => {
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
