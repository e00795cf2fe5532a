import type { Action } from './actions.js';

/** Whether a run of these actions fails. */
export type Fails = (actions: readonly Action[]) => Promise<boolean>;

/** A short beginning of a failing run that fails too, while the beginning with one action less does not; `upTo`: a number of actions that suffices.
 */
export async function shortestPrefix(actions: readonly Action[], upTo: number, fails: Fails): Promise<readonly Action[]> {
  let [works, enough] = [-1, upTo];
  while (enough - works > 1) {
    const length = Math.floor((works + enough) / 2);
    if (await fails(actions.slice(0, length))) enough = length;
    else works = length;
  }
  return actions.slice(0, enough);
}

/** A failing run without its irrelevant actions; their time still passes. */
export async function withoutIrrelevant(actions: readonly Action[], fails: Fails): Promise<readonly Action[]> {
  let left = [...actions];
  for (let size = Math.ceil(left.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < left.length; ) {
      const fewer = without(left, from, size);
      if (await fails(fewer)) left = fewer;
      else from += size;
    }
  }
  return left;
}

function without(actions: readonly Action[], from: number, size: number): Action[] {
  const [next, ...rest] = actions.slice(from + size);
  const lostMs = actions.slice(from, from + size).reduce((sum, { afterMs }) => sum + afterMs, 0);
  const before = actions.slice(0, from);
  return next ? [...before, { ...next, afterMs: next.afterMs + lostMs }, ...rest] : before;
}
