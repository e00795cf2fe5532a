/** What {@link createStartStop} calls, never two at a time. */
interface Steps {
  /** Does nothing if it is started. */
  start(signal?: AbortSignal): Promise<void>;
  /** Does nothing if it is stopped. */
  stop(): Promise<void>;
}

/**
 * The `start` and `stop` of a runtime: they run one after the other, in the order of the calls. An abort of the signal that `start` received stops
 * the runtime, until it has been stopped otherwise. Both may be destructured.
 */
export function createStartStop(steps: Steps): Steps {
  let last: Promise<unknown> = Promise.resolve();
  let listened: AbortSignal[] = [];

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
  const stop = () =>
    inTurn(async () => {
      for (const signal of listened) signal.removeEventListener('abort', abort);
      listened = [];
      await steps.stop();
    });
  const abort = () => void stop();

  return {
    async start(signal) {
      signal?.throwIfAborted();
      await inTurn(() => steps.start(signal));
      if (signal === undefined) return;
      listened.push(signal);
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) await stop();
    },
    stop,
  };
}
