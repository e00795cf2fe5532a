import { type Clock, type Metrics, noMetrics } from '@nodeagent/api';
import { defineEndpoint } from '../endpoint.js';
import { unchecked } from '../endpoint-path.js';
import { type HealthCheckResult, healthzAnswer } from '../healthz.js';
import { answerText } from '../http/answers.js';
import type { Handler } from '../http/exchange.js';
import type { HealthChecks } from '../ports.js';
import { createThreadPoolCheck } from '../thread-pool-check.js';

const ping: HealthCheckResult = { name: 'ping' };

interface HealthzOptions {
  clock: Clock;
  checks?: HealthChecks | undefined;
  metrics?: Metrics | undefined;
}

/** The handler of {@link healthzEndpoint}: `ping`, the checks and `threadpool`. Counts the results as Kubernetes' component SLIs. */
export function healthzHandler({ clock, checks = () => [], metrics = noMetrics }: HealthzOptions): Handler {
  const checkThreadPool = createThreadPoolCheck(clock);
  const last = metrics.gauge({
    name: 'kubernetes_healthcheck',
    help: 'This metric records the result of a single healthcheck.',
    labels: ['name', 'type'],
  });
  const total = metrics.counter({
    name: 'kubernetes_healthchecks_total',
    help: 'This metric records the results of all healthcheck.',
    labels: ['name', 'type', 'status'],
  });
  return async ({ response, query, path }) => {
    const results = [ping, ...checks(), await checkThreadPool()];
    for (const { name, error } of results) {
      last.set(error === undefined ? 1 : 0, { name, type: 'healthz' });
      total.inc({ name, type: 'healthz', status: error === undefined ? 'success' : 'error' });
    }
    const { status, body } = healthzAnswer(path, query, results) ?? { status: 404, body: '404 page not found\n' };
    answerText(response, status, body);
  };
}

/** `/healthz` and `/healthz/NAME`. */
export const healthzEndpoint = defineEndpoint({
  name: 'healthz',
  path: unchecked('/healthz'),
  methods: 'any',
  authorization: ['healthz', 'proxy'],
  label: 'healthz',
  isLongRunning: false,
  enabledBy: [],
  handle: ({ clock, healthChecks, registry }) => healthzHandler({ clock, checks: healthChecks, metrics: registry }),
});
