import { podUid } from '@nodeagent/api/helpers';
import { presentPods } from './agent-view.js';
import type { Components } from './components.js';

/** Stops all sources, then resolves when all pods are cleaned up. Rejects with the signal's reason, or with `AgentStopped`. */
export async function stopPods(c: Components, signal?: AbortSignal): Promise<void> {
  const { sources, state, common, ended, podWorkers, containerGc, pleg, syncLoop } = c;
  await Promise.all(sources.map((source) => source.stop()));
  for (const source of sources) state.podConfig.channel(source.name)([]);
  const until = signal ? AbortSignal.any([signal, ended.signal]) : ended.signal;
  until.throwIfAborted();
  while (presentPods(c).length > 0) {
    const finished = presentPods(c).every((pod) => podWorkers.shouldPodBeFinished(podUid(pod)));
    if (finished) {
      await containerGc.collect();
      await pleg.relist(until);
      syncLoop.triggerHousekeeping();
    }
    await common.clock.sleep(finished ? 10 : 100, until);
  }
}
