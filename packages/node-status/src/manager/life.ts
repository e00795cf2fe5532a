import type { Startable } from '@nodeagent/api';

/** What runs from start to stop, or until the signal of start aborts; both idempotent. `run` ends when its signal aborts, and never rejects. */
export function createLife(run: (signal: AbortSignal) => Promise<unknown>): Startable {
  let running: { controller: AbortController; ended: Promise<unknown> } | undefined;
  return {
    async start(signal) {
      if (running !== undefined || signal?.aborted) return;
      const controller = new AbortController();
      const abort = () => controller.abort(signal?.reason);
      signal?.addEventListener('abort', abort, { once: true });
      const ended = run(controller.signal).finally(() => {
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
