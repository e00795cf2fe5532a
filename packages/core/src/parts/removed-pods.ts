import type { AgentParts, Components } from '../components.js';
import { createRemovedPods } from '../pods/removed-pods.js';

/** Removed pods whose cleanup is pending. */
export function removedPods(c: Components): AgentParts['removedPods'] {
  const { state, emitter, deadlines, cleanup, cluster } = c;
  return createRemovedPods({
    isObserved: (uid) => state.podCache.peek(uid) !== undefined,
    onEnded: (uid) => {
      deadlines.cancel(uid);
      cleanup.requestCollection();
    },
    onRemoved(pod) {
      cluster?.objects?.unregisterPod(pod);
      emitter.emit('removed', pod);
    },
  });
}
