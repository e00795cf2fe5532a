import { type Clock, errorMessage } from '@nodeagent/api';
import { defineEndpoint } from '../endpoint.js';
import { pages } from '../endpoint-path.js';
import { answerText } from '../http/answers.js';
import type { Handler } from '../http/exchange.js';
import { processMetrics } from '../metrics/process-metrics.js';
import type { MetricsRegistry } from '../metrics/registry.js';
import type { NodeStatsPages } from '../ports.js';

export type MetricsPage = 'kubelet' | 'cadvisor' | 'resource' | 'probes' | 'slis';

const prometheusText = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };

/** Metrics that only `/metrics/probes` serves, because they have pod labels. */
const isOfProbes = (name: string) => name.startsWith('prober_') || name === 'process_start_time_seconds';
/** Metrics of `/metrics/slis`. */
const isOfSlis = (name: string) => name.startsWith('kubernetes_healthcheck');

/** Responds with 404 if the endpoint has no source. */
function metricsHandler(
  registry: MetricsRegistry | undefined,
  stats: NodeStatsPages | undefined,
  clock: Clock,
): Handler<{ page: MetricsPage }> {
  const measureProcess = registry && processMetrics(registry, clock);
  const texts: Record<MetricsPage, ((signal: AbortSignal) => string | Promise<string>) | undefined> = {
    kubelet: registry && (() => registry.text((name) => !name.startsWith('prober_') && !isOfSlis(name))),
    probes: registry && (() => registry.text(isOfProbes)),
    slis: registry && (() => registry.text(isOfSlis)),
    cadvisor: stats && ((signal) => stats.containerMetrics({ signal })),
    resource: stats && ((signal) => stats.resourceMetrics({ signal })),
  };
  return async ({ response, signal }, { page }) => {
    const text = texts[page];
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

const pagesByPath: Readonly<Record<string, { page: MetricsPage }>> = {
  '/metrics': { page: 'kubelet' },
  '/metrics/cadvisor': { page: 'cadvisor' },
  '/metrics/resource': { page: 'resource' },
  '/metrics/probes': { page: 'probes' },
  '/metrics/slis': { page: 'slis' },
};

/** The endpoint's path also for paths below it, to bound the number of labels. */
function labelOf([page]: readonly string[]): string {
  const path = page === undefined ? 'metrics' : `metrics/${page}`;
  return Object.hasOwn(pagesByPath, `/${path}`) ? path : 'other';
}

/** `/metrics` and the endpoints below it. */
export const metricsEndpoint = defineEndpoint({
  name: 'metrics',
  path: pages('/metrics', pagesByPath),
  methods: 'any',
  authorization: ['metrics'],
  label: labelOf,
  isLongRunning: false,
  enabledBy: [],
  handle: ({ registry, stats, clock }) => metricsHandler(registry, stats, clock),
});
