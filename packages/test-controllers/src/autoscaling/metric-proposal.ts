import type { LabelSelector, Pod } from '@nodeagent/api';
import { Quantity } from '@nodeagent/api/helpers';
import type { MetricSamples } from './metric-samples.js';
import type { Metric, MetricSource, MetricTarget } from './objects.js';
import { podReplicas, type ReplicaCount, sharedReplicas, type Tolerances, valueReplicas } from './replica-counts.js';

/** What a metric asks for, or why it asks for nothing. */
export type MetricProposal =
  | { replicas: number; name: string; current: MetricTarget; field: keyof Omit<Metric, 'type'> }
  /** `cause`: as the condition shows it; `problem`: as the event about all metrics does. */
  | { reason: string; cause: string; problem: string };

interface Input {
  pods: readonly Pod[];
  scale: { replicas: number; currentReplicas: number };
  namespace: string;
  tolerances: Tolerances;
  now: number;
}

interface Question extends Input {
  source: MetricSource;
  target: MetricTarget;
  samples: MetricSamples;
}

interface Answer {
  count: ReplicaCount;
  name: string;
  /** The field of the target that decides. */
  by: 'value' | 'averageValue' | 'averageUtilization';
  /** What the event about all metrics has before the problem. */
  subject?: string;
}

/** The number of replicas that one metric asks for. The values are in thousandths. */
export function metricProposal(metric: Metric, samples: MetricSamples, input: Input): MetricProposal {
  const field = fields[metric.type as keyof typeof fields];
  const source = field && metric[field];
  if (!source) return unknownType(metric.type);
  const target = source.target ?? {};
  const { count, name, by, subject = '' } = answers[field]({ ...input, source, target, samples });
  if ('problem' in count) {
    const { problem: cause } = count;
    return { reason: `FailedGet${metric.type}Metric`, cause, problem: `failed to get ${failedSubject[field](source)}: ${subject}${cause}` };
  }
  const usage = Quantity.ofMilli(count.usage, source.name === 'memory' ? 'BinarySI' : 'DecimalSI').toString();
  const current: MetricTarget =
    count.utilization === undefined ? { [by]: usage } : { averageUtilization: count.utilization, averageValue: usage };
  return { replicas: count.replicas, name, current, field };
}

const fields = {
  Resource: 'resource',
  ContainerResource: 'containerResource',
  Pods: 'pods',
  Object: 'object',
  External: 'external',
} as const;
type Field = (typeof fields)[keyof typeof fields];

function unknownType(type: string): MetricProposal {
  const cause = `unknown metric source type "${type}"`;
  return { reason: 'InvalidMetricSourceType', cause, problem: cause };
}

const failedSubject: Readonly<Record<Field, (source: MetricSource) => string>> = {
  resource: ({ name }) => `${name} resource metric value`,
  containerResource: ({ container }) => `${container} container metric value`,
  pods: () => 'pods metric value',
  object: () => 'object metric value',
  external: ({ metric }) => `${metric?.name} external metric value`,
};

const answers: Readonly<Record<Field, (question: Question) => Answer>> = {
  resource: resourceAnswer,
  containerResource: resourceAnswer,
  pods: podsAnswer,
  object: objectAnswer,
  external: externalAnswer,
};

function resourceAnswer({ source, target, samples, scale, ...input }: Question): Answer {
  const { name = '', container } = source;
  const { averageValue, averageUtilization: percent } = target;
  const isAverage = averageValue !== undefined;
  const by = isAverage ? 'averageValue' : 'averageUtilization';
  const rest = isAverage ? 'resource' : `${container === undefined ? '' : 'container '}resource utilization (percentage of request)`;
  const named = { name: `${name} ${rest}`, by } as const;
  if (!isAverage && percent === undefined) {
    const problem = 'invalid resource metric source: neither an average utilization target nor an average value (usage) target was set';
    return { ...named, count: { problem } };
  }
  const wanted = isAverage ? { average: milli(averageValue) } : { percent: percent ?? 0, resource: name, container };
  const count = fromPods(samples, `unable to get metrics for resource ${name}: `, (values) =>
    podReplicas({ ...input, replicas: scale.replicas }, values, wanted, name === 'cpu'),
  );
  const failed = `failed to get ${name} ${isAverage ? 'usage' : 'utilization'}: `;
  return { ...named, count: 'problem' in count ? { problem: failed + count.problem } : count };
}

function podsAnswer({ source, target, samples, scale, ...input }: Question): Answer {
  const name = source.metric?.name;
  const wanted = { average: milli(target.averageValue) };
  const count = fromPods(samples, `unable to get metric ${name}: `, (values) =>
    podReplicas({ ...input, replicas: scale.replicas }, values, wanted, false),
  );
  return { count, name: `pods metric ${name}`, by: 'averageValue' };
}

function objectAnswer({ source, target, samples, scale, ...input }: Question): Answer {
  const { metric, describedObject: { kind, name: object } = { kind: '', name: '' } } = source;
  const name = metric?.name ?? '';
  const isValue = target.type === 'Value' && target.value !== undefined;
  if (!isValue && !(target.type === 'AverageValue' && target.averageValue !== undefined)) {
    const problem = 'invalid object metric source: neither a value target nor an average value target was set';
    return { count: { problem }, name, by: 'value' };
  }
  // In the order in which a cluster has them.
  const refuse = (problem: string) => `unable to get metric ${name}: ${kind} on ${input.namespace} ${object}/${problem}`;
  if (isValue) {
    const count = fromValue(samples, refuse, (usage) => valueReplicas({ ...input, replicas: scale.replicas }, usage, milli(target.value)));
    return { count, name: `${kind} metric ${name}`, by: 'value' };
  }
  const count = fromValue(samples, refuse, (usage) => sharedReplicas(input, scale.currentReplicas, usage, milli(target.averageValue)));
  return { count, name: externalName(source), by: 'averageValue', subject: `failed to get ${name} object metric: ` };
}

function externalAnswer({ source, target, samples, scale, ...input }: Question): Answer {
  const { metric: { name, selector } = { name: '' } } = source;
  const refuse = (problem: string) => `unable to get external metric ${input.namespace}/${name}/${selectorDump(selector)}: ${problem}`;
  const named = externalName(source);
  if (target.averageValue !== undefined) {
    const count = fromValue(samples, refuse, (usage) => sharedReplicas(input, scale.currentReplicas, usage, milli(target.averageValue)));
    return { count, name: named, by: 'averageValue', subject: `failed to get ${name} external metric: ` };
  }
  if (target.value === undefined) {
    const problem = 'invalid external metric source: neither a value target nor an average value target was set';
    return { count: { problem }, name: named, by: 'value' };
  }
  const count = fromValue(samples, refuse, (usage) => valueReplicas({ ...input, replicas: scale.replicas }, usage, milli(target.value)));
  return { count, name: named, by: 'value', subject: `failed to get external metric ${name}: ` };
}

const milli = (quantity: string | undefined) => Number(Quantity.parse(quantity ?? '0').milliValue());

const externalName = ({ metric }: MetricSource) => `external metric ${metric?.name}(${selectorDump(metric?.selector)})`;

/** A selector as Go prints a pointer to one. */
function selectorDump(selector: LabelSelector | undefined): string {
  if (!selector) return 'nil';
  const labels = Object.entries(selector.matchLabels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const matchLabels = labels.map(([key, value]) => `${key}: ${value},`).join('');
  const expressions = (selector.matchExpressions ?? [])
    .map(({ key, operator, values = [] }) => `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`)
    .join('');
  return `&LabelSelector{MatchLabels:map[string]string{${matchLabels}},MatchExpressions:[]LabelSelectorRequirement{${expressions}},}`;
}

function fromPods(samples: MetricSamples, refused: string, count: (values: ReadonlyMap<string, number>) => ReplicaCount): ReplicaCount {
  if ('problem' in samples) return { problem: refused + samples.problem };
  return count('pods' in samples ? samples.pods : new Map());
}

function fromValue(samples: MetricSamples, refuse: (problem: string) => string, count: (value: number) => ReplicaCount): ReplicaCount {
  if ('problem' in samples) return { problem: refuse(samples.problem) };
  return count('value' in samples ? samples.value : 0);
}
