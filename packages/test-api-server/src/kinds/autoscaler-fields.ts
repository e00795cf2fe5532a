import { isObject, Quantity } from '@nodeagent/api/helpers';
import { unsupported } from './admission-fields.js';
import type { KindFieldProblem } from './kind-rules.js';

type Fields = Readonly<Record<string, unknown>>;
type Problems = KindFieldProblem[];

/** A rule for the objects at a path. */
type Check = (value: Fields, field: string) => Problems;

const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});
const required = (field: string, why = ''): Problems => [{ field, problem: `Required value${why && `: ${why}`}` }];
const invalid = (field: string, value: unknown, why: string): Problems => [
  { field, problem: `Invalid value: ${JSON.stringify(value)}: ${why}` },
];
const forbidden = (field: string, why: string): Problems => [{ field, problem: `Forbidden: ${why}` }];
const isPositive = (value: unknown) => Quantity.parse(value as string).sign > 0;

function targetProblems(source: Fields, field: string): Problems {
  const target = fieldsOf(source.target);
  const { type = '', averageUtilization: percent } = target;
  const positive = (name: string) => {
    const value = target[name];
    return value === undefined || isPositive(value) ? [] : invalid(`${field}.target.${name}`, value, 'must be positive');
  };
  return [
    ...(type === '' ? required(`${field}.target.type`, 'must specify a metric target type') : []),
    ...(['Utilization', 'Value', 'AverageValue'].includes(type as string)
      ? []
      : invalid(`${field}.target.type`, type, 'must be either Utilization, Value, or AverageValue')),
    ...positive('value'),
    ...positive('averageValue'),
    ...(typeof percent === 'number' && percent < 1 ? invalid(`${field}.target.averageUtilization`, percent, 'must be greater than 0') : []),
  ];
}

/** One of two fields of the target must be set: `one`, with this reason, or `other`; `why`: not both. */
const oneOf =
  (one: string, other: string, missing: string, why?: { field: string; both: string }): Check =>
  (source, field) => {
    const target = fieldsOf(source.target);
    const [hasOne, hasOther] = [target[one] !== undefined, target[other] !== undefined];
    if (!hasOne && !hasOther) return required(`${field}.target.${one}`, missing);
    return hasOne && hasOther && why ? forbidden(`${field}.target.${why.field}`, why.both) : [];
  };

const named =
  (name: string, why: string): Check =>
  (source, field) =>
    source[name] ? [] : required(`${field}.${name}`, why);

const metricName: Check = ({ metric }, field) =>
  fieldsOf(metric).name ? [] : required(`${field}.metric.name`, 'must specify a metric name');

const described: Check = ({ describedObject }, field) => referenceProblems(fieldsOf(describedObject), `${field}.describedObject`);

const resourceTarget = oneOf('averageUtilization', 'averageValue', 'must set either a target raw value or a target utilization', {
  field: 'averageValue',
  both: 'may not set both a target raw value and a target utilization',
});
const resourceName = named('name', 'must specify a resource name');
const externalTarget = oneOf('averageValue', 'value', 'must set either a target value for metric or a per-pod target', {
  field: 'value',
  both: 'may not set both a target value for metric and a per-pod target',
});
const podsTarget: Check = (source, field) =>
  fieldsOf(source.target).averageValue === undefined
    ? required(`${field}.target.averageValue`, 'must specify a positive target averageValue')
    : [];

/** The checks of a metric, by the field of its type. */
const sources: Readonly<Record<string, readonly Check[]>> = {
  containerResource: [resourceName, named('container', 'must specify a container'), targetProblems, resourceTarget],
  external: [metricName, targetProblems, externalTarget],
  object: [described, metricName, targetProblems, oneOf('averageValue', 'value', 'must set either a target value or averageValue')],
  pods: [metricName, targetProblems, podsTarget],
  resource: [resourceName, targetProblems, resourceTarget],
};
const fieldOf = (type: string) => `${type.charAt(0).toLowerCase()}${type.slice(1)}`;
const metricTypes = Object.keys(sources).map((name) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`);

export function referenceProblems({ kind, name }: Fields, field: string): Problems {
  return [...(kind ? [] : required(`${field}.kind`)), ...(name ? [] : required(`${field}.name`))];
}

/** The problems of a metric of an autoscaler: Kubernetes API reference, "HorizontalPodAutoscaler". */
export function metricProblems(metric: Fields, field: string): Problems {
  const type = String(metric.type ?? '');
  const present = Object.keys(sources).filter((name) => metric[name] !== undefined);
  const isKnown = metricTypes.includes(type);
  const own = fieldOf(type);
  return [
    ...(type === '' ? required(`${field}.type`, 'must specify a metric source type') : []),
    ...unsupported(`${field}.type`, type, metricTypes),
    ...present.slice(0, 1).flatMap((name) => (sources[name] ?? []).flatMap((check) => check(fieldsOf(metric[name]), `${field}.${name}`))),
    ...(isKnown && metric[own] === undefined ? required(`${field}.${own}`, 'must populate information for the given metric source') : []),
    ...(present.length > 1
      ? present
          .filter((name) => name !== own)
          .flatMap((name) => forbidden(`${field}.${name}`, 'must populate the given metric source only'))
      : []),
  ];
}

/** The problems of the rules of one direction. */
export function scalingProblems(rules: Fields, field: string): Problems {
  const { stabilizationWindowSeconds: window = 0, selectPolicy, policies, tolerance } = rules;
  const list = (Array.isArray(policies) ? policies : []) as Fields[];
  const between = (at: string, value: number, min: string, max: number) => [
    ...(value < (min === 'zero' ? 1 : 0) ? invalid(at, value, `must be greater than ${min}`) : []),
    ...(value > max ? invalid(at, value, `must be less than or equal to ${max}`) : []),
  ];
  return [
    ...between(`${field}.stabilizationWindowSeconds`, window as number, 'or equal to zero', 3600),
    ...unsupported(`${field}.selectPolicy`, selectPolicy, choices),
    ...(list.length === 0 ? required(`${field}.policies`, 'must specify at least one Policy') : []),
    ...list.flatMap(({ type, value = 0, periodSeconds = 0 }, index) => {
      const at = `${field}.policies[${index}]`;
      return [
        ...unsupported(`${at}.type`, type ?? '', types),
        ...between(`${at}.value`, value as number, 'zero', Infinity),
        ...between(`${at}.periodSeconds`, periodSeconds as number, 'zero', 1800),
      ];
    }),
    ...(tolerance !== undefined && Quantity.parse(tolerance as string).sign < 0
      ? invalid(`${field}.tolerance`, tolerance, 'must be greater than or equal to 0')
      : []),
  ];
}
const choices = ['Disabled', 'Max', 'Min'];
const types = ['Percent', 'Pods'];
