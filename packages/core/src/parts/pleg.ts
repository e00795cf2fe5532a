import { createEventedPleg, createGenericPleg } from '@nodeagent/pleg';
import type { AgentParts, Components } from '../components.js';

/** Keeps the pod cache current. */
export function pleg({ agent, settings, state, common, runtime }: Components): AgentParts['pleg'] {
  const { clock, logger, metrics } = common;
  const { relistPeriodMs, relistThresholdMs, evented } = settings;
  const options = { runtime, cache: state.podCache, clock, relistPeriodMs, relistThresholdMs, logger, metrics };
  if (evented === 'off') return createGenericPleg(options);
  return createEventedPleg({ ...options, evented, containerEvents: (signal) => agent.cri.runtime.getContainerEvents({}, { signal }) });
}
