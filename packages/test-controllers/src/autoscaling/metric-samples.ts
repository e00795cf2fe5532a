import type { LabelSelector, Pod, QuantityText } from '@nodeagent/api';
import { errorMessage } from '@nodeagent/api';
import { Quantity } from '@nodeagent/api/helpers';
import type { HorizontalPodAutoscaler, Metric, MetricSource, ObjectReference } from './objects.js';

/** A question for the value of a custom or external metric. */
export interface MetricQuery {
  /** `Pods`: asked for each pod that the autoscaler's target selects. */
  type: 'Pods' | 'Object' | 'External';
  name: string;
  namespace: string;
  /** The metric's selector. */
  selector?: LabelSelector;
  /** The pod, or the described object. */
  object?: ObjectReference;
}

/** The metrics that autoscalers read. */
export interface AutoscalerMetrics {
  /** Usage of the running pods. */
  pods(): readonly {
    name: string;
    namespace: string;
    containers: readonly { name: string; nanoCores: number; memoryBytes: number }[];
  }[];
  /** The value of a custom or external metric; undefined if there is none. Default: there is none. */
  value?(query: MetricQuery): QuantityText | number | undefined;
}

/**
 * The values of one metric of an autoscaler: of pods by name, or one of an object or of the outside, all in thousandths; or why there is none.
 */
export type MetricSamples = { pods: ReadonlyMap<string, number> } | { value: number } | { problem: string };

/** Reads the values of a metric for the pods that the target of the autoscaler selects. */
export function metricSamples(
  metrics: AutoscalerMetrics | undefined,
  { metadata: { namespace = '' } }: HorizontalPodAutoscaler,
  metric: Metric,
  pods: readonly Pod[],
): MetricSamples {
  const { type, resource, containerResource, object, external } = metric;
  const names = pods.map(({ metadata }) => metadata?.name ?? '');
  try {
    if (type === 'Resource' || type === 'ContainerResource')
      return usageOf(metrics, namespace, new Set(names), (type === 'Resource' ? resource : containerResource) ?? {});
    const { metric: { name = '', selector } = {}, describedObject } = (type === 'Pods' ? metric.pods : (object ?? external)) ?? {};
    const value = (about: Pick<MetricQuery, 'type' | 'object'>) =>
      milli(metrics?.value?.({ ...about, name, namespace, ...(selector && { selector }) }));
    if (type === 'Pods') {
      const values = names.flatMap((pod) => {
        const found = value({ type, object: { apiVersion: 'v1', kind: 'Pod', name: pod } });
        return found === undefined ? [] : [[pod, found] as const];
      });
      return values.length > 0 ? { pods: new Map(values) } : noMetrics('custom');
    }
    const kind = type === 'Object' ? 'Object' : 'External';
    const found = value({ type: kind, ...(describedObject && { object: describedObject }) });
    return found === undefined ? noMetrics(kind === 'Object' ? 'custom' : 'external') : { value: found };
  } catch (error) {
    return { problem: `unable to fetch metrics from custom metrics API: ${errorMessage(error)}` };
  }
}

const noMetrics = (api: string) => ({ problem: `no metrics returned from ${api} metrics API` });

function milli(value: QuantityText | number | undefined): number | undefined {
  return value === undefined ? undefined : Number(Quantity.parse(value).milliValue());
}

function usageOf(
  metrics: AutoscalerMetrics | undefined,
  namespace: string,
  names: ReadonlySet<string>,
  { name = '', container }: MetricSource,
): MetricSamples {
  if (!metrics)
    return {
      problem:
        'unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)',
    };
  const found = metrics.pods().filter((pod) => pod.namespace === namespace && names.has(pod.name));
  if (found.length === 0) return noMetrics('resource');
  const values = found.flatMap((pod) => {
    const chosen = pod.containers.filter((each) => container === undefined || each.name === container);
    const amounts = chosen.map((each) => resourceMilli(name, each));
    return amounts.length === 0 || amounts.includes(undefined) ? [] : [[pod.name, sum(amounts as number[])] as const];
  });
  return { pods: new Map(values) };
}

/** The metrics API counts CPU in nanocores and memory in KiB. */
function resourceMilli(resource: string, { nanoCores, memoryBytes }: { nanoCores: number; memoryBytes: number }): number | undefined {
  if (resource === 'cpu') return Math.ceil(Math.round(nanoCores) / 1e6);
  return resource === 'memory' ? Math.round(memoryBytes / 1024) * 1_024_000 : undefined;
}

const sum = (values: readonly number[]) => values.reduce((total, each) => total + each, 0);
