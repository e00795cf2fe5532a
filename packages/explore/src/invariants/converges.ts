import type { Invariant } from '../run.js';

/** For this long the controller must not have written at the end, in milliseconds. */
const quietMs = 60_000;

/** The controller runs at the end, and has stopped writing. */
export const converges: Invariant = {
  name: 'converges',
  check({ writes, endedAt, startError }) {
    if (startError !== undefined) return `the controller does not run: ${startError}`;
    const late = writes.filter(({ at }) => at > endedAt - quietMs);
    const last = late.at(-1);
    if (last === undefined) return undefined;
    const what = `${last.verb} ${last.resource} ${last.name}`;
    return `it still writes at the end: ${late.length} writes in the last ${quietMs / 1_000} s, the last one ${what}`;
  },
};
