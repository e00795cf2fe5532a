import type { Summary } from '../objects/stats.js';

/** Tells what the node and its pods use. */
export interface SummarySource {
  /**
   * With `fresh`, memory and CPU are read now, which is what eviction decides on; else figures may be as old as the source's own rhythm.
   * Rejects if a part that it cannot do without fails, and with the signal's reason when it aborts. Calls may run at once, and one that is
   * given up ends no other. A summary may be shared between callers: neither they nor the source change it.
   */
  summary(options: { fresh: boolean; signal: AbortSignal }): Promise<Summary>;
}

/** Tells what the node and its pods use, as the Summary API and as the pages that Prometheus reads. */
export interface StatsProvider extends SummarySource {
  /** The page `/metrics/cadvisor`, in the text format of Prometheus. Rejects as `summary` does. */
  containerMetrics(options: { signal: AbortSignal }): Promise<string>;
  /**
   * The page `/metrics/resource`. Without figures it has `resource_scrape_error 1`, else `resource_scrape_error 0`. Rejects only with the
   * signal's reason when it aborts.
   */
  resourceMetrics(options: { signal: AbortSignal }): Promise<string>;
}
