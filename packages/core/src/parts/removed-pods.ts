import type { AgentParts, Components } from '../components.js';
import { createRemovedPods } from '../pods/removed-pods.js';

/** Removed pods whose cleanup is pending, each with the last status that the status manager accepted. */
export function removedPods(c: Components): AgentParts['removedPods'] {
  const { state, emitter, deadlines, containerGc, cluster, statusManager } = c;
  const removed = createRemovedPods({
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
  statusManager.onStatus((uid, status) => {
    if (status !== undefined) removed.setStatus(uid, status);
  });
  return removed;
}
