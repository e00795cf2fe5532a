import type { Summary } from '../objects/stats.js';

/** Tells what the node and its pods use. */
export interface SummarySource {
  /**
   * With `fresh`, memory and CPU are read now, which is what eviction decides on; else figures may be as old as the source's own rhythm.
   * Rejects if a part that it cannot do without fails, and with the signal's reason when it aborts.
   */
  summary(options: { fresh: boolean; signal: AbortSignal }): Promise<Summary>;
}

/** Tells what the node and its pods use, as the Summary API and as the pages that Prometheus reads. */
export interface StatsProvider extends SummarySource {
  /** The page `/metrics/cadvisor`. Rejects as `summary` does. */
  containerMetrics(options: { signal: AbortSignal }): Promise<string>;
  /** The page `/metrics/resource`, which tells if there are no figures. Rejects only when the signal aborts. */
  resourceMetrics(options: { signal: AbortSignal }): Promise<string>;
}
