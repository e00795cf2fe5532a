import type { StatsProvider } from '@nodeagent/api';
import { onlyCpuAndMemory, summaryJson } from '../summary/summary-json.js';

/** The usage of the node and its pods as response bodies of a node's HTTP API. */
export interface StatsPages extends Pick<StatsProvider, 'containerMetrics' | 'resourceMetrics'> {
  /** `/stats/summary`: the Summary API's JSON, or its reduced form without file systems, network and volumes. */
  summary(options: { onlyCpuAndMemory: boolean; signal: AbortSignal }): Promise<string>;
}

/** Creates the response bodies of the Summary API and of the two metrics endpoints. */
export function createStatsPages(stats: StatsProvider): StatsPages {
  return {
    async summary({ onlyCpuAndMemory: isReduced, signal }) {
      const summary = await stats.summary({ fresh: false, signal });
      return summaryJson(isReduced ? onlyCpuAndMemory(summary) : summary);
    },
    containerMetrics: (options) => stats.containerMetrics(options),
    resourceMetrics: (options) => stats.resourceMetrics(options),
  };
}
