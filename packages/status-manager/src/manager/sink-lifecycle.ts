import type { Logger, Startable, StatusSink, StatusVersions } from '@nodeagent/api';

/** Starts and stops the sink, one operation at a time, and notifies it of changes in between. */
export interface SinkLifecycle extends Startable {
  statusChanged(uid: string): void;
}

export function createSinkLifecycle(sink: StatusSink, statuses: StatusVersions, logger: Logger): SinkLifecycle {
  let running: Promise<void> | undefined;
  let stopping = Promise.resolve();
  let signal: AbortSignal | undefined;

  const stop = () => {
    const ending = running;
    if (ending === undefined) return stopping;
    running = undefined;
    signal?.removeEventListener('abort', onAbort);
    stopping = ending.then(
      () => sink.stop(),
      () => {},
    );
    return stopping;
  };
  const onAbort = () => {
    stop().catch((error) => logger.error({ err: error }, 'failed to stop the status sink'));
  };

  return {
    start(withSignal) {
      if (running) return running;
      if (withSignal?.aborted) return Promise.resolve();
      signal = withSignal;
      signal?.addEventListener('abort', onAbort, { once: true });
      const starting = stopping.then(() => sink.start(statuses, withSignal));
      running = starting;
      starting.catch(() => {
        if (running === starting) running = undefined;
        withSignal?.removeEventListener('abort', onAbort);
      });
      return starting;
    },
    stop,
    statusChanged(uid) {
      if (running) sink.statusChanged(uid);
    },
  };
}
