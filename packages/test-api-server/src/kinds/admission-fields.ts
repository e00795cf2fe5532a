import { qualifiedNameProblems } from '@nodeagent/api/helpers';
import type { MatchCondition } from '../admission/expressions/expressions.js';
import type { Rule } from '../admission/rules.js';
import type { KindFieldProblem } from './kind-rules.js';

/** Problems of fields that webhooks and policies share: Kubernetes API reference, "admissionregistration.k8s.io/v1". */

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];

/** The problem of a value that is not one of a few; an absent one has none. */
export function unsupported(field: string, value: unknown, values: readonly string[]): KindFieldProblem[] {
  if (value === undefined || values.includes(value as string)) return [];
  const supported = values.map((each) => JSON.stringify(each)).join(', ');
  return [{ field, problem: `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported}` }];
}

export function ruleProblems(rule: Rule, at: string): KindFieldProblem[] {
  const lists = { operations: rule.operations, apiGroups: rule.apiGroups, apiVersions: rule.apiVersions, resources: rule.resources };
  const empty = Object.entries(lists).filter(([, list]) => (list ?? []).length === 0);
  const mixed = Object.entries(lists).filter(
    ([field, list = []]) => field !== 'resources' && (list ?? []).includes('*') && (list ?? []).length > 1,
  );
  return [
    ...empty.map(([field]) => ({ field: `${at}.${field}`, problem: 'Required value' })),
    ...mixed.map(([field, list]) => ({
      field: `${at}.${field}`,
      problem: `Invalid value: ${JSON.stringify(list)}: if '*' is present, must not specify other ${names[field]}`,
    })),
    ...(rule.operations ?? []).flatMap((operation, index) => unsupported(`${at}.operations[${index}]`, operation, operations)),
    ...unsupported(`${at}.scope`, rule.scope, ['*', 'Cluster', 'Namespaced']),
  ];
}

const names: Readonly<Record<string, string>> = { operations: 'operations', apiGroups: 'API groups', apiVersions: 'API versions' };

const maxConditions = 64;

/** Problems of conditions; `problemOf` is why an expression is invalid. */
export function conditionProblems(
  conditions: readonly MatchCondition[] | undefined,
  at: string,
  problemOf: (expression: string) => string | undefined,
): KindFieldProblem[] {
  const list = conditions ?? [];
  const many =
    list.length > maxConditions ? [{ field: at, problem: `Too many: ${list.length}: must have at most ${maxConditions} items` }] : [];
  return [
    ...many,
    ...list.flatMap(({ name, expression }, index) => {
      const problem = expression ? problemOf(expression) : undefined;
      const repeated = list.findIndex((each) => each.name === name) < index;
      return [
        ...(expression ? [] : [{ field: `${at}[${index}].expression`, problem: 'Required value' }]),
        ...(problem ? [{ field: `${at}[${index}].expression`, problem: `Invalid value: ${JSON.stringify(expression)}: ${problem}` }] : []),
        ...(name ? [] : [{ field: `${at}[${index}].name`, problem: 'Required value' }]),
        ...(name ? qualifiedNameProblems(name) : []).map((rule) => ({
          field: `${at}[${index}].name`,
          problem: `Invalid value: ${JSON.stringify(name)}: ${rule}`,
        })),
        ...(repeated ? [{ field: `${at}[${index}].name`, problem: `Duplicate value: ${JSON.stringify(name)}` }] : []),
      ];
    }),
  ];
}
