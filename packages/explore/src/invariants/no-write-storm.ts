import type { ControllerWrite, Invariant } from '../run.js';

const windowMs = 60_000;

/** The least number of writes a minute that is a storm. */
const storm = 30;

/** In no minute the controller writes more than three times as often as in the busiest minute of the undisturbed run. */
export const noWriteStorm: Invariant = {
  name: 'no write storm',
  check(run, undisturbed) {
    const limit = Math.max(storm, 3 * busiest(undisturbed.writes));
    const most = busiest(run.writes);
    return most > limit ? `${most} writes in one minute, at most ${limit} are expected` : undefined;
  },
};

function busiest(writes: readonly ControllerWrite[]): number {
  let most = 0;
  let first = 0;
  writes.forEach(({ at }, index) => {
    while ((writes[first]?.at ?? at) <= at - windowMs) first++;
    most = Math.max(most, index - first + 1);
  });
  return most;
}
