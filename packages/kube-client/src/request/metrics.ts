import type { Metrics } from '@nodeagent/api';

/** The metrics of client-go, which every Kubernetes component has (Kubernetes docs, "Kubernetes Metrics Reference"). */
export function createRequestMetrics(metrics: Metrics) {
  return {
    requests: metrics.counter({
      name: 'rest_client_requests_total',
      help: 'Number of HTTP requests, partitioned by status code, method, and host.',
      labels: ['code', 'method', 'host'],
    }),
    retries: metrics.counter({
      name: 'rest_client_request_retries_total',
      help: 'Number of request retries, partitioned by status code, verb, and host.',
      labels: ['code', 'verb', 'host'],
    }),
    duration: metrics.histogram({
      name: 'rest_client_request_duration_seconds',
      help: 'Request latency in seconds. Broken down by verb, and host.',
      labels: ['verb', 'host'],
      buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60],
    }),
    rateLimiter: metrics.histogram({
      name: 'rest_client_rate_limiter_duration_seconds',
      help: 'Client side rate limiter latency in seconds. Broken down by verb, and host.',
      labels: ['verb', 'host'],
      buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60],
    }),
  };
}
