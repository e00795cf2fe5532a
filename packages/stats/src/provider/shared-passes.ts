import { abortable, type Clock } from '@nodeagent/api';

/** Runs one measurement pass at a time for any number of callers. */
export interface SharedPasses<T> {
  /**
   * With `fresh`, the result of a pass that started after the call; else that of the last one while it is younger than `maxAgeMs`, or of
   * the one in progress. A pass is cancelled when all its waiting callers have aborted.
   */
  get(options: { fresh: boolean; signal: AbortSignal }): Promise<T>;
}

interface Pass<T> {
  outcome: Promise<T>;
  controller: AbortController;
  waiting: number;
  hasStarted: boolean;
}

/** Creates {@link SharedPasses}: for any number of callers at most one pass runs and one is pending. */
export function createSharedPasses<T>(
  run: (signal: AbortSignal) => Promise<T>,
  { clock, maxAgeMs }: { clock: Clock; maxAgeMs: number },
): SharedPasses<T> {
  let last: { value: T; at: number } | undefined;
  let newest: Pass<T> | undefined;

  const start = (previous: Pass<T> | undefined): Pass<T> => {
    const controller = new AbortController();
    const { signal } = controller;
    const work = async () => {
      if (previous !== undefined) await previous.outcome.catch(() => {});
      signal.throwIfAborted();
      pass.hasStarted = true;
      const value = await run(signal);
      last = { value, at: clock.monotonic() };
      return value;
    };
    const pass: Pass<T> = { controller, waiting: 0, hasStarted: previous === undefined, outcome: Promise.resolve().then(work) };
    const forget = () => {
      if (newest === pass) newest = undefined;
    };
    pass.outcome.then(forget, forget);
    return pass;
  };

  return {
    async get({ fresh, signal }) {
      signal.throwIfAborted();
      if (!fresh && last !== undefined && clock.monotonic() - last.at < maxAgeMs) return last.value;
      const canJoin = newest !== undefined && !newest.controller.signal.aborted && !(fresh && newest.hasStarted);
      const pass = canJoin && newest !== undefined ? newest : start(newest);
      newest = pass;
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
