import type { AgentParts, Components } from '../components.js';
import { createSyncLoop } from '../pods/sync-loop.js';

/** Handles configuration, lifecycle events and probe results, one at a time. */
export function syncLoop({ settings, state, common, pleg, probeManager, timeline, handler, monitor }: Components): AgentParts['syncLoop'] {
  return createSyncLoop({
    config: state.podConfig.updates,
    podEvents: pleg.events,
    probeUpdates: probeManager.updates,
    workQueue: state.workQueue,
    handler: timeline.follow(handler),
    runtimeErrors: monitor.runtimeErrors,
    clock: common.clock,
    logger: common.logger,
    housekeepingPeriodMs: settings.housekeepingPeriodMs,
    idleHousekeepingPeriodMs: settings.idleHousekeepingPeriodMs,
  });
}
