import type { AgentParts, Components } from '../components.js';
import { createTimeline } from '../view/timeline.js';

/** Reports what happens on the node as a sequence of entries. */
export function timeline(c: Components): AgentParts['timeline'] {
  const { podManager, podCache } = c.state;
  return createTimeline({
    clock: c.common.clock,
    emitter: c.emitter,
    podByUid: (uid) => podManager.podByUid(uid) ?? c.removedPods.get(uid),
    runtimeStatus: (uid) => podCache.peek(uid)?.status,
  });
}
