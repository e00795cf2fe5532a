import type { Clock, Metrics } from '@nodeagent/api';
import { requestLabels } from '../request-labels.js';

/** Counts a request; call the returned function when the request has ended. */
export type CountRequest = (method: string, path: string) => () => void;

const labels = ['method', 'path', 'server_type', 'long_running'];

/** The `kubelet_http_*` metrics. */
export function countRequests(metrics: Metrics, clock: Clock, serverType: 'readonly' | 'readwrite'): CountRequest {
  const total = metrics.counter({ name: 'kubelet_http_requests_total', help: 'Requests received.', labels });
  const inFlight = metrics.gauge({ name: 'kubelet_http_inflight_requests', help: 'Requests in progress.', labels });
  const duration = metrics.histogram({ name: 'kubelet_http_requests_duration_seconds', help: 'Duration of requests.', labels });
  const open = new Map<string, number>();
  return (method, path) => {
    const { longRunning, ...known } = requestLabels(method, path);
    const of = { ...known, server_type: serverType, long_running: `${longRunning}` };
    const key = `${known.method} ${known.path}`;
    const change = (by: number) => {
      const count = (open.get(key) ?? 0) + by;
      open.set(key, count);
      inFlight.set(count, of);
    };
    const began = clock.monotonic();
    total.inc(of);
    change(1);
    return () => {
      change(-1);
      duration.observe((clock.monotonic() - began) / 1_000, of);
    };
  };
}
