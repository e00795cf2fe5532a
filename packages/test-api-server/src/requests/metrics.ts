import { formatTime, Quantity } from '@nodeagent/api/helpers';
import type { AutoscalerMetrics } from '@nodeagent/test-controllers';
import type { ApiObject } from '../objects.js';
import type { ServedResource } from '../registry/resource.js';
import type { ListSelection } from '../store/selection.js';

export type { MetricQuery } from '@nodeagent/test-controllers';

/** Usage of a node or container. */
export interface MeasuredUsage {
  nanoCores: number;
  memoryBytes: number;
}

/** The source of the metrics API, called for each request, and of the metrics that HorizontalPodAutoscalers read. */
export interface MetricsSource extends AutoscalerMetrics {
  /** By name. */
  nodes(): ReadonlyMap<string, MeasuredUsage>;
}

export const metricsGroup = 'metrics.k8s.io';

/**
 * The objects of the metrics API that are selected: Kubernetes documentation, "Resource metrics pipeline". `stored`: returns the node or pod that is
 * measured.
 */
export function metricsObjects(
  source: MetricsSource,
  { kind }: ServedResource,
  {
    selection,
    stored,
    now,
  }: { selection: ListSelection; stored(namespace: string | undefined, name: string): ApiObject | undefined; now: number },
): ApiObject[] {
  const timestamp = formatTime(now);
  const common = (of: { name: string; namespace?: string }) => {
    const labels = stored(of.namespace, of.name)?.metadata.labels;
    const metadata = { ...of, creationTimestamp: timestamp, ...(labels && { labels }) };
    return { kind, apiVersion: `${metricsGroup}/v1beta1`, metadata, timestamp, window: '10s' };
  };
  const objects: ApiObject[] =
    kind === 'NodeMetrics'
      ? Array.from(source.nodes(), ([node, usage]) => ({ ...common({ name: node }), usage: usageText(usage) }))
      : source.pods().map(({ containers, ...pod }) => ({
          ...common(pod),
          containers: containers.map((each) => ({ name: each.name, usage: usageText(each) })),
        }));
  return objects.filter((each) => selection.matches(each));
}

const usageText = ({ nanoCores, memoryBytes }: MeasuredUsage) => ({
  cpu: Quantity.parse(`${Math.round(nanoCores)}n`).canonical(),
  memory: Quantity.parse(`${Math.round(memoryBytes / 1024)}Ki`).canonical(),
});
