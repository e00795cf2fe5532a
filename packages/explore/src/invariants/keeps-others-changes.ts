import type { Invariant } from '../run.js';

/** The controller keeps what others wrote into an object just before it. */
export const keepsOthersChanges: Invariant = {
  name: "keeps others' changes",
  check({ touches, end }) {
    for (const { uid, annotation } of touches) {
      const found = end.find(({ object }) => object.metadata?.uid === uid);
      if (found && found.object.metadata?.annotations?.[annotation] === undefined) {
        const { resource, object } = found;
        return `the annotation ${annotation}, which another client added to ${resource} ${object.metadata?.name}, is lost`;
      }
    }
    return undefined;
  },
};
