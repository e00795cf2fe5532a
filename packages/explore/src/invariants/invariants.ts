import { canonicalEnd, type Normalize } from '../canonical.js';
import type { Invariant } from '../run.js';
import { converges } from './converges.js';
import { keepsOthersChanges } from './keeps-others-changes.js';
import { noFlapping } from './no-flapping.js';
import { noLeaks } from './no-leaks.js';
import { noWriteStorm } from './no-write-storm.js';
import { nothingDeletedTwice } from './nothing-deleted-twice.js';
import { statusCatchesUp } from './status-catches-up.js';

/** The run ends in the same state as the undisturbed one. */
export const endsAlike = (normalize?: Normalize): Invariant => ({
  name: 'ends as the undisturbed run',
  check({ end }, undisturbed) {
    const expected = canonicalEnd(undisturbed.end, normalize);
    const actual = canonicalEnd(end, normalize);
    const lacks = without(expected, actual);
    const adds = without(actual, expected);
    if (lacks.length + adds.length === 0) return undefined;
    return [...lacks.map((text) => `- ${text}`), ...adds.map((text) => `+ ${text}`)].join('\n');
  },
});

/** The elements of a list that another one lacks; both may have equal ones. */
function without(list: readonly string[], other: readonly string[]): string[] {
  const left = [...other];
  return list.filter((each) => {
    const at = left.indexOf(each);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** All rules that hold for every controller; the default of `explore`. */
export const standardInvariants = (normalize?: Normalize): Invariant[] => [
  converges,
  noWriteStorm,
  noFlapping,
  nothingDeletedTwice,
  keepsOthersChanges,
  noLeaks,
  statusCatchesUp,
  endsAlike(normalize),
];
