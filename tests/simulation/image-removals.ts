import type { MemoryContainer } from '@nodeagent/memory-runtime';
import type { Invariant } from './snapshot.js';

/** An image that an agent removed. */
export interface ImageRemoval {
  image: string;
  /** The containers that use the image, and that existed when an agent last listed the images. */
  users: readonly Pick<MemoryContainer, 'podUid' | 'name' | 'state'>[];
}

/** No image of an existing container is removed. Image garbage collection lists the images, then the containers: it cannot see a later container. */
export const imageRemovals: Invariant = ({ history }) =>
  history.imageRemovals.flatMap(({ image, users }) =>
    users.map(({ podUid, name, state }) => `${image} was removed, though ${podUid}/${name} (${state}) uses it`),
  );
