import type { ResourceList } from '@nodeagent/api';
import { isExtendedResource, isHugePages, Quantity } from '@nodeagent/api/helpers';
import { quotaSpecOf, quotaStatusOf, requirementsOf } from '../admission/resource-quota/quota.js';
import type { KindFieldProblem, KindRules } from './kind-rules.js';
import { rounds } from './resource-lists.js';

const compute = ['cpu', 'memory', 'ephemeral-storage'];
const plainNames = [
  ...compute,
  ...compute.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  ...['requests.storage', 'pods', 'services', 'replicationcontrollers', 'resourcequotas', 'secrets', 'configmaps'],
  ...['persistentvolumeclaims', 'services.nodeports', 'services.loadbalancers'],
];
/** Resources of which a quota can limit only whole numbers. */
const isWhole = (name: string) => !/(cpu|memory|storage)$/.test(name);

const isName = (name: string) =>
  plainNames.includes(name) || name.includes('/') || isHugePages(name.replace('requests.', '')) || isExtendedResource(name);

const scopeNames = [
  'Terminating',
  'NotTerminating',
  'BestEffort',
  'NotBestEffort',
  'PriorityClass',
  'CrossNamespacePodAffinity',
  'VolumeAttributesClass',
];
const withValues = ['PriorityClass', 'VolumeAttributesClass'];
const opposites = [
  ['Terminating', 'NotTerminating'],
  ['BestEffort', 'NotBestEffort'],
];

function amountProblems(list: ResourceList | undefined, at: string): KindFieldProblem[] {
  return Object.entries(list ?? {}).flatMap(([name, text]) => {
    const field = `${at}[${name}]`;
    if (!isName(name)) return [{ field, problem: `Invalid value: ${JSON.stringify(name)}: must be a standard resource for quota` }];
    const amount = parsed(text);
    const wrong = (rule: string) => [{ field, problem: `Invalid value: ${JSON.stringify(text)}: ${rule}` }];
    if (amount === undefined) return wrong("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
    if (amount.sign < 0) return wrong('must be greater than or equal to 0');
    return isWhole(name) && amount.milliValue() % 1000n !== 0n ? wrong('must be an integer') : [];
  });
}

function parsed(text: string | number): Quantity | undefined {
  try {
    return Quantity.parse(text);
  } catch {
    return undefined;
  }
}

const round = rounds('spec.hard', 'status.hard', 'status.used');

export const resourceQuotaRules: KindRules = {
  prepareCreate: round,
  prepareUpdate: round,
  validate(object) {
    const spec = quotaSpecOf(object);
    const requirements = requirementsOf(spec);
    const names = requirements.map(({ scopeName }) => scopeName);
    const at = spec.scopes?.length ? 'spec.scopes' : 'spec.scopeSelector.matchExpressions';
    const unknown = names.filter((name) => !scopeNames.includes(name));
    const supported = scopeNames.map((name) => JSON.stringify(name)).join(', ');
    const conflict = opposites.some((pair) => pair.every((name) => names.includes(name)));
    const limitsOthers =
      names.includes('BestEffort') && Object.keys(spec.hard ?? {}).some((name) => !['pods', 'count/pods'].includes(name));
    return [
      ...amountProblems(spec.hard, 'spec.hard'),
      ...unknown.map((name) => ({ field: at, problem: `Unsupported value: ${JSON.stringify(name)}: supported values: ${supported}` })),
      ...requirements.flatMap(({ scopeName, operator, values = [] }) =>
        (spec.scopes ?? []).includes(scopeName) || operator === 'Exists' || withValues.includes(scopeName)
          ? ['In', 'NotIn'].includes(operator) && values.length === 0
            ? [
                {
                  field: `${at}.values`,
                  problem: "Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
                },
              ]
            : []
          : [
              {
                field: `${at}.operator`,
                problem: `Invalid value: ${JSON.stringify(operator)}: must be 'Exist' only operator when \`scope\` is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity`,
              },
            ],
      ),
      ...(conflict ? [{ field: at, problem: `Invalid value: ${JSON.stringify(names)}: conflicting scopes` }] : []),
      ...(limitsOthers ? [{ field: at, problem: `Invalid value: ${JSON.stringify(names)}: unsupported scope applied to resource` }] : []),
    ];
  },
  validateUpdate(object, before, subresource) {
    if (subresource === 'status') {
      const { hard, used } = quotaStatusOf(object);
      return [...amountProblems(hard, 'status.hard'), ...amountProblems(used, 'status.used')];
    }
    const scopes = (each: typeof object) => JSON.stringify(requirementsOf(quotaSpecOf(each)));
    return scopes(object) === scopes(before) ? [] : [{ field: 'spec.scopes', problem: 'Invalid value: field is immutable' }];
  },
};
