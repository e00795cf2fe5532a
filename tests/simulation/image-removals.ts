import type { Invariant } from './snapshot.js';

/** No image of an existing container is removed. Image garbage collection lists the images, then the containers: it cannot see a later container. */
export const imageRemovals: Invariant = ({ history }) =>
  history.imageRemovals.flatMap(({ image, users }) =>
    users.map(({ podUid, name, state }) => `${image} was removed, though ${podUid}/${name} (${state}) uses it`),
  );
