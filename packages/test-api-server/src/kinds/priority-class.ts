import type { ApiObject } from '../objects.js';
import type { KindFieldProblem, KindRules } from './kind-rules.js';
import { fillIn } from './workloads.js';

const defaults = { preemptionPolicy: 'PreemptLowerPriority', value: 0 };
const setDefaults = (object: ApiObject) => fillIn(object, defaults);

const maxUserValue = 1_000_000_000;
/** The classes that a cluster has from the start, the only ones with reserved names. */
export const systemClasses: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};

/** Rules of priority classes: Kubernetes documentation, "Pod Priority and Preemption". */
export const priorityClassRules: KindRules = {
  prepareCreate: setDefaults,
  prepareUpdate: setDefaults,
  validate({ metadata, value, preemptionPolicy }): KindFieldProblem[] {
    const { name = '' } = metadata;
    const isSystem = systemClasses[name] === value;
    const reserved = name.startsWith('system-') && !isSystem;
    const rule = "Forbidden: priority class names with 'system-' prefix are reserved for system use only";
    const isPolicy = ['Never', 'PreemptLowerPriority'].includes(preemptionPolicy as string);
    return [
      ...(reserved
        ? [{ field: 'metadata.name', problem: `${rule}. error: ${JSON.stringify(name)} is not a known system priority class` }]
        : []),
      ...(!isSystem && (value as number) > maxUserValue
        ? [{ field: 'value', problem: `Forbidden: maximum allowed value of a user defined priority is ${maxUserValue}` }]
        : []),
      ...(isPolicy
        ? []
        : [
            {
              field: 'preemptionPolicy',
              problem: `Unsupported value: ${JSON.stringify(preemptionPolicy)}: supported values: "Never", "PreemptLowerPriority"`,
            },
          ]),
    ];
  },
  validateUpdate: (after, before) =>
    [
      { field: 'value', rule: 'may not be changed in an update.' },
      { field: 'preemptionPolicy', rule: 'field is immutable' },
    ]
      .filter(({ field }) => after[field] !== before[field])
      .map(({ field, rule }) => ({
        field,
        problem: field === 'value' ? `Forbidden: ${rule}` : `Invalid value: ${JSON.stringify(after[field])}: ${rule}`,
      })),
};
