import { type Metrics, noMetrics } from '@nodeagent/api';
import { defineEndpoint } from '../endpoint.js';
import { unchecked } from '../endpoint-path.js';
import { type HealthCheckResult, healthzAnswer } from '../healthz.js';
import { answerText } from '../http/answers.js';
import type { Handler } from '../http/exchange.js';
import type { HealthChecks } from '../ports.js';

const ping: HealthCheckResult = { name: 'ping' };

/** The handler of {@link healthzEndpoint}. Counts the results as Kubernetes' component SLIs. */
export function healthzHandler(checks: HealthChecks = () => [], metrics: Metrics = noMetrics): Handler {
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
  return ({ response, query, path }) => {
    const results = [ping, ...checks()];
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
  handle: ({ healthChecks, registry }) => healthzHandler(healthChecks, registry),
});
