import { isObject } from '@nodeagent/api/helpers';
import type { ApiObject } from '../objects.js';

type Fields = Record<string, unknown>;
interface Metric {
  type?: string;
  resource?: { name?: string; target?: Fields; current?: Fields };
}

const prefix = 'autoscaling.alpha.kubernetes.io/';
const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});
const isCpu = ({ type, resource }: Metric) => type === 'Resource' && resource?.name === 'cpu';

/** Annotations of `autoscaling/v1` for what only v2 has fields for: Kubernetes API reference, "HorizontalPodAutoscaler". */
const inAnnotations = [
  { annotation: `${prefix}metrics`, part: 'spec', field: 'metrics' },
  { annotation: `${prefix}behavior`, part: 'spec', field: 'behavior' },
  { annotation: `${prefix}current-metrics`, part: 'status', field: 'currentMetrics' },
  { annotation: `${prefix}conditions`, part: 'status', field: 'conditions' },
] as const;

/** Converts an autoscaler of `autoscaling/v2`, the stored form, to v1: the target of CPU is a field, other metrics are an annotation. */
export function autoscalerFromStored(object: ApiObject): ApiObject {
  const { metrics = [], behavior, ...spec } = fieldsOf(object.spec) as { metrics?: Metric[]; behavior?: unknown };
  const { currentMetrics, conditions, ...status } = fieldsOf(object.status) as { currentMetrics?: Metric[] | null; conditions?: unknown };
  const cpu = metrics.find((metric) => isCpu(metric) && metric.resource?.target?.averageUtilization !== undefined);
  const current = currentMetrics?.find(isCpu)?.resource?.current?.averageUtilization;
  const others = metrics.filter((metric) => metric !== cpu);
  const kept = { metrics: others.length > 0 ? others : undefined, behavior, currentMetrics: currentMetrics ?? undefined, conditions };
  const annotations = { ...object.metadata.annotations };
  for (const { annotation, field } of inAnnotations) if (kept[field] !== undefined) annotations[annotation] = JSON.stringify(kept[field]);
  return {
    ...object,
    metadata: { ...object.metadata, ...(Object.keys(annotations).length > 0 && { annotations }) },
    spec: { ...spec, ...(cpu && { targetCPUUtilizationPercentage: cpu.resource?.target?.averageUtilization }) },
    ...(object.status !== undefined && {
      status: { ...status, ...(current !== undefined && { currentCPUUtilizationPercentage: current }) },
    }),
  };
}

/** The inverse of {@link autoscalerFromStored}; annotations that are no JSON are dropped. */
export function autoscalerToStored(object: ApiObject): ApiObject {
  const { targetCPUUtilizationPercentage: target, ...spec } = fieldsOf(object.spec);
  const { currentCPUUtilizationPercentage: _current, ...status } = fieldsOf(object.status);
  const annotations = { ...object.metadata.annotations };
  const parts = { spec, status };
  for (const { annotation, part, field } of inAnnotations) {
    const value = parsed(annotations[annotation]);
    if (value !== undefined) parts[part][field] = value;
    delete annotations[annotation];
  }
  if (target !== undefined && target !== null) {
    const cpu = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: target } } };
    spec.metrics = [...((spec.metrics as Metric[] | undefined) ?? []), cpu];
  }
  const { annotations: _annotations, ...metadata } = object.metadata;
  return {
    ...object,
    metadata: { ...metadata, ...(Object.keys(annotations).length > 0 && { annotations }) },
    spec,
    ...(object.status !== undefined && { status }),
  };
}

function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
