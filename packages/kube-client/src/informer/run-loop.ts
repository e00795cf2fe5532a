/** A loop that is started and stopped any number of times; both idempotent. */
export interface RunLoop {
  start(signal?: AbortSignal): void;
  /** Resolves once the loop has ended. */
  stop(): Promise<void>;
}

/** `run` goes on until its signal aborts, and never rejects. A start while the last run is ending begins when that has ended. */
export function createRunLoop(run: (signal: AbortSignal) => Promise<void>): RunLoop {
  let running: { controller: AbortController; ended: Promise<void> } | undefined;
  return {
    start(signal) {
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
