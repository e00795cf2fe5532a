import { abortable, type Clock } from '@nodeagent/api';

/** Runs one pass at a time for any number of callers. */
export interface SharedPasses<T> {
  /**
   * The outcome of a pass that began after the call, for `fresh`; else of the last one while it is younger than `maxAgeMs`, or of the one
   * that is under way. A pass ends when all who wait for it have left.
   */
  get(options: { fresh: boolean; signal: AbortSignal }): Promise<T>;
}

interface Pass<T> {
  outcome: Promise<T>;
  controller: AbortController;
  waiting: number;
  began: boolean;
}

/** Makes {@link SharedPasses}: with a slow runtime, however many ask, at most one pass runs and one waits. */
export function createSharedPasses<T>(
  run: (signal: AbortSignal) => Promise<T>,
  { clock, maxAgeMs }: { clock: Clock; maxAgeMs: number },
): SharedPasses<T> {
  let last: { value: T; at: number } | undefined;
  let running: Pass<T> | undefined;
  let next: Pass<T> | undefined;

  const begin = (before: Pass<T> | undefined): Pass<T> => {
    const controller = new AbortController();
    const pass: Pass<T> = { controller, waiting: 0, began: before === undefined, outcome: undefined as unknown as Promise<T> };
    pass.outcome = (async () => {
      await before?.outcome.catch(() => {});
      pass.began = true;
      if (next === pass) next = undefined;
      running = pass;
      try {
        controller.signal.throwIfAborted();
        const value = await run(controller.signal);
        last = { value, at: clock.monotonic() };
        return value;
      } finally {
        if (running === pass) running = undefined;
      }
    })();
    pass.outcome.catch(() => {});
    return pass;
  };

  return {
    async get({ fresh, signal }) {
      signal.throwIfAborted();
      if (!fresh && last !== undefined && clock.monotonic() - last.at < maxAgeMs) return last.value;
      let pass: Pass<T>;
      if (running === undefined) pass = begin(undefined);
      else if (fresh) pass = next ??= begin(running);
      else pass = running;
      pass.waiting++;
      try {
        return await abortable(pass.outcome, signal);
      } finally {
        pass.waiting--;
        if (pass.waiting === 0) pass.controller.abort(signal.reason);
      }
    },
  };
}
