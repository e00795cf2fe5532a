import type { Summary } from '../objects/stats.js';

/** Measures the resource usage of the node and its pods. */
export interface SummarySource {
  /**
   * With `fresh`, CPU and memory usage are read now, as eviction requires; otherwise they may be as old as the source's collection
   * interval. Rejects if a required part fails, and with the signal's reason when it aborts. Calls may run concurrently, and aborting one
   * does not affect the others. Callers may share a summary and must not change it.
   */
  summary(options: { fresh: boolean; signal: AbortSignal }): Promise<Summary>;
}

/** Reports the resource usage of the node and its pods: as the Summary API and as Prometheus endpoints. */
export interface StatsProvider extends SummarySource {
  /** The response of `/metrics/cadvisor`, in the Prometheus text format. Rejects as `summary` does. */
  containerMetrics(options: { signal: AbortSignal }): Promise<string>;
  /**
   * The response of `/metrics/resource`: with `resource_scrape_error 1` if the stats cannot be read, else `resource_scrape_error 0`.
   * Rejects only with the signal's reason when it aborts.
   */
  resourceMetrics(options: { signal: AbortSignal }): Promise<string>;
}
