import { type Clock, errorMessage } from '@nodeagent/api';
import { answerText } from '../http/answers.js';
import type { Handler } from '../http/exchange.js';
import { processMetrics } from '../metrics/process-metrics.js';
import type { MetricsRegistry } from '../metrics/registry.js';
import type { NodeStatsPages } from '../ports.js';
import type { MetricsPage } from '../route.js';

const prometheusText = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };

/** Metrics of `/metrics/probes`, which have labels of pods, and of nothing else. */
const isOfProbes = (name: string) => name.startsWith('prober_') || name === 'process_start_time_seconds';
/** Metrics of `/metrics/slis`. */
const isOfSlis = (name: string) => name.startsWith('kubernetes_healthcheck');

/** `/metrics` and the pages below it; what there is no source for is not found. */
export function metricsHandler(
  registry: MetricsRegistry | undefined,
  stats: NodeStatsPages | undefined,
  clock: Clock,
): Handler<MetricsPage> {
  const measureProcess = registry && processMetrics(registry, clock);
  const pages: Record<MetricsPage, ((signal: AbortSignal) => string | Promise<string>) | undefined> = {
    kubelet: registry && (() => registry.text((name) => !name.startsWith('prober_') && !isOfSlis(name))),
    probes: registry && (() => registry.text(isOfProbes)),
    slis: registry && (() => registry.text(isOfSlis)),
    cadvisor: stats && ((signal) => stats.containerMetrics({ signal })),
    resource: stats && ((signal) => stats.resourceMetrics({ signal })),
  };
  return async ({ response, signal }, page) => {
    const text = pages[page];
    if (text === undefined) return answerText(response, 404, '404 page not found\n');
    try {
      measureProcess?.();
      answerText(response, 200, await text(signal), prometheusText);
    } catch (error) {
      signal.throwIfAborted();
      answerText(response, 500, `An error has occurred while serving metrics:\n\n${errorMessage(error)}\n`);
    }
  };
}
