import type { Invariant } from './snapshot.js';

/** No volume is unmounted while a container of its pod runs, also not to be mounted again. */
export const unmounts: Invariant = ({ history }) =>
  history.unmounts
    .filter(({ running }) => running.length > 0)
    .map(({ uid, volume, running }) => `${uid}/${volume} was unmounted while ${running.join(' ')} ran`);
