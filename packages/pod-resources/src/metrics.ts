import type { Counter, Metrics } from '@nodeagent/api';

/** An endpoint of the API, as metrics name it. */
export type Endpoint = 'list' | 'get_allocatable' | 'get';

/** The metrics of the pod-resources API with the kubelet's names. */
export function createPodResourcesMetrics(metrics: Metrics): {
  all: Counter;
  requests: Record<Endpoint, Counter>;
  errors: Record<Endpoint, Counter>;
} {
  const counter = (suffix: string, help: string) =>
    metrics.counter({
      name: `kubelet_pod_resources_endpoint_${suffix}`,
      help: `${help} Broken down by server api version.`,
      labels: ['server_api_version'],
    });
  const requests = (endpoint: Endpoint, name: string) =>
    counter(`requests_${endpoint}`, `Number of requests to the PodResource ${name} endpoint.`);
  const errors = (endpoint: Endpoint, name: string) =>
    counter(`errors_${endpoint}`, `Number of requests to the PodResource ${name} endpoint which returned error.`);
  return {
    all: counter('requests_total', 'Cumulative number of requests to the PodResource endpoint.'),
    requests: {
      list: requests('list', 'List'),
      get_allocatable: requests('get_allocatable', 'GetAllocatableResources'),
      get: requests('get', 'Get'),
    },
    errors: {
      list: errors('list', 'List'),
      get_allocatable: errors('get_allocatable', 'GetAllocatableResources'),
      get: errors('get', 'Get'),
    },
  };
}
