import { createContainerGc } from '@nodeagent/runtime-manager';
import type { AgentParts, Components } from '../components.js';

/** Removes dead containers. */
export function containerGc({ settings, state, common, runtime, capabilities, podWorkers }: Components): AgentParts['containerGc'] {
  const { clock, logger } = common;
  return createContainerGc({
    runtime,
    reclaiming: capabilities.reclaiming,
    podCache: state.podCache,
    podWorkers,
    allSourcesReady: state.sources.areAllSeen,
    clock,
    logger,
    containerGCPeriodMs: settings.containerGCPeriodMs,
  });
}
