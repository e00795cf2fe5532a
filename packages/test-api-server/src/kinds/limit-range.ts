import type { ResourceList } from '@nodeagent/api';
import { Quantity } from '@nodeagent/api/helpers';
import { itemsOf, type LimitRangeItem } from '../admission/limit-ranger/limit-range.js';
import type { ApiObject } from '../objects.js';
import type { KindFieldProblem, KindRules } from './kind-rules.js';
import { rounds } from './resource-lists.js';

const round = rounds(...['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'].map((field) => `spec.limits[].${field}`));

/** Limits of containers that are not set follow from the others: Kubernetes API reference, "LimitRangeItem". */
function setDefaults(object: ApiObject): void {
  round(object);
  for (const item of itemsOf(object)) {
    if (item.type !== 'Container') continue;
    const fill = (field: 'default' | 'defaultRequest', from: ResourceList | undefined) => {
      if (from) item[field] = { ...from, ...item[field] };
    };
    fill('default', item.max);
    fill('defaultRequest', item.default);
    fill('defaultRequest', item.min);
  }
}

/** Pairs of fields of which the first must not be larger than the second. */
const order: [lower: keyof LimitRangeItem, upper: keyof LimitRangeItem, words: string][] = [
  ['min', 'max', 'min value % is greater than max value %'],
  ['min', 'defaultRequest', 'min value % is greater than default request value %'],
  ['min', 'default', 'min value % is greater than default value %'],
  ['defaultRequest', 'max', 'default request value % is greater than max value %'],
  ['defaultRequest', 'default', 'default request value % is greater than default limit value %'],
  ['default', 'max', 'default value % is greater than max value %'],
];

function itemProblems(item: LimitRangeItem, at: string): KindFieldProblem[] {
  const listOf = (field: keyof LimitRangeItem) => (item[field] ?? {}) as ResourceList;
  const misplaced = (['default', 'defaultRequest'] as const).filter((field) => item.type === 'Pod' && item[field]);
  const missing = item.type === 'PersistentVolumeClaim' && item.min?.storage === undefined && item.max?.storage === undefined;
  const disordered = order.flatMap(([lower, upper, words]) =>
    Object.entries(listOf(lower)).flatMap(([resource, low]) => {
      const high = listOf(upper)[resource];
      if (high === undefined || Quantity.parse(low).cmp(Quantity.parse(high)) <= 0) return [];
      const rule = words.replace('%', String(low)).replace('%', String(high));
      return [{ field: `${at}.${lower}[${resource}]`, problem: `Invalid value: ${JSON.stringify(low)}: ${rule}` }];
    }),
  );
  const ratios = Object.entries(listOf('maxLimitRequestRatio')).filter(([, ratio]) => Quantity.parse(ratio).cmp(Quantity.of(1)) < 0);
  return [
    ...(item.type ? [] : [{ field: `${at}.type`, problem: 'Required value' }]),
    ...misplaced.map((field) => ({ field: `${at}.${field}`, problem: "Forbidden: may not be specified when `type` is 'Pod'" })),
    ...(missing
      ? [
          {
            field: `${at}.limits`,
            problem: 'Required value: either minimum or maximum storage value is required, but neither was provided',
          },
        ]
      : []),
    ...disordered,
    ...ratios.map(([resource, ratio]) => ({
      field: `${at}.maxLimitRequestRatio[${resource}]`,
      problem: `Invalid value: ${JSON.stringify(ratio)}: ratio ${ratio} is less than 1`,
    })),
  ];
}

export const limitRangeRules: KindRules = {
  prepareCreate: setDefaults,
  prepareUpdate: setDefaults,
  validate: (object) =>
    itemsOf(object).flatMap((item, index, items) => {
      const at = `spec.limits[${index}]`;
      const isRepeated = items.findIndex(({ type }) => type === item.type) < index;
      const repeated = isRepeated ? [{ field: `${at}.type`, problem: `Duplicate value: ${JSON.stringify(item.type)}` }] : [];
      return [...repeated, ...itemProblems(item, at)];
    }),
};
