import { formatTime } from '@nodeagent/api/helpers';
import type { AutoscalerMetrics } from '@nodeagent/test-controllers';
import type { ApiObject } from '../objects.js';
import type { ServedResource } from '../registry/resource.js';
import { notFound } from '../status.js';
import type { ListSelection } from '../store/selection.js';
import type { RequestInfo } from './request-info.js';

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
 * One object of the metrics API or a list of them, without selection by fields: Kubernetes documentation, "Resource metrics pipeline".
 * Throws 404.
 */
export function metricsAnswer(
  source: MetricsSource,
  { kind, listKind }: ServedResource,
  { name, namespace }: RequestInfo,
  {
    selection,
    object,
    now,
  }: { selection: ListSelection; object(namespace: string | undefined, name: string): ApiObject | undefined; now: number },
): object {
  const apiVersion = `${metricsGroup}/v1beta1`;
  const timestamp = formatTime(now);
  const common = (of: { name: string; namespace?: string }) => {
    const labels = object(of.namespace, of.name)?.metadata.labels;
    return { kind, apiVersion, metadata: { ...of, creationTimestamp: timestamp, ...(labels && { labels }) }, timestamp, window: '10s' };
  };
  const items =
    kind === 'NodeMetrics'
      ? Array.from(source.nodes(), ([node, usage]) => ({ ...common({ name: node }), usage: usageText(usage) }))
      : source.pods().map(({ containers, ...pod }) => ({
          ...common(pod),
          containers: containers.map((each) => ({ name: each.name, usage: usageText(each) })),
        }));
  const chosen = items.filter((each) => selection.matches(each));
  if (name === undefined) return { kind: listKind, apiVersion, metadata: {}, items: chosen };
  const found = chosen.find(({ metadata }) => metadata.name === name && (metadata as { namespace?: string }).namespace === namespace);
  if (found === undefined) throw notFound({ group: metricsGroup, kind: kind === 'NodeMetrics' ? 'nodes' : 'pods', name });
  return found;
}

const usageText = ({ nanoCores, memoryBytes }: MeasuredUsage) => ({
  cpu: `${Math.round(nanoCores)}n`,
  memory: `${Math.round(memoryBytes / 1024)}Ki`,
});
