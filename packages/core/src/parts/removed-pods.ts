import type { AgentParts, Components } from '../components.js';
import { createRemovedPods } from '../pods/removed-pods.js';

/** Removed pods whose cleanup is pending. */
export function removedPods(c: Components): AgentParts['removedPods'] {
  const { state, emitter, deadlines, containerGc, cluster } = c;
  return createRemovedPods({
    isObserved: (uid) => state.podCache.peek(uid) !== undefined,
    onEnded: (uid) => {
      deadlines.cancel(uid);
      containerGc.requestCollection();
    },
    onRemoved(pod) {
      cluster?.objects?.unregisterPod(pod);
      emitter.emit('removed', pod);
    },
  });
}
