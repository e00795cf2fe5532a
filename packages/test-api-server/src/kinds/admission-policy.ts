import { qualifiedNameProblems } from '@nodeagent/api/helpers';
import type { Variable } from '../admission/expressions/expressions.js';
import { loadExpressions } from '../admission/expressions/load.js';
import { loadPolicies } from '../admission/policies/plugins.js';
import type { MatchResources, MutatingPolicySpec, PolicySpec, ValidatingPolicySpec } from '../admission/policies/policy.js';
import type { ApiContext } from '../context.js';
import type { ApiObject } from '../objects.js';
import { conditionProblems, ruleProblems, unsupported } from './admission-fields.js';
import type { KindFieldProblem, KindRules } from './kind-rules.js';
import { fillIn } from './workloads.js';

type Kinds = ('bool' | 'string' | 'null' | 'list' | 'object' | 'map')[];
/** The problem of an expression, as a field problem; none if it is missing, which is another problem. */
type CheckExpression = (field: string, expression: string | undefined, kinds: Kinds) => KindFieldProblem[];

const specOf = <Spec>({ spec }: ApiObject): Spec => (spec ?? {}) as Spec;

const required = (field: string, rule = ''): KindFieldProblem => ({ field, problem: `Required value${rule && `: ${rule}`}` });
const invalid = (field: string, value: unknown, rule: string): KindFieldProblem => ({
  field,
  problem: `Invalid value: ${JSON.stringify(value)}: ${rule}`,
});

export function setMatchDefaults(match: MatchResources | undefined): void {
  if (match === undefined) return;
  fillIn(match as Record<string, unknown>, { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} });
  const rules = [...(match.resourceRules ?? []), ...(match.excludeResourceRules ?? [])];
  for (const rule of rules) fillIn(rule as Record<string, unknown>, { scope: '*' });
}

export function matchProblems(match: MatchResources | undefined, at: string): KindFieldProblem[] {
  const lists = { resourceRules: match?.resourceRules, excludeResourceRules: match?.excludeResourceRules };
  return [
    ...Object.entries(lists).flatMap(([list, rules]) =>
      (rules ?? []).flatMap((rule, index) => ruleProblems(rule, `${at}.${list}[${index}]`)),
    ),
    ...unsupported(`${at}.matchPolicy`, match?.matchPolicy, ['Equivalent', 'Exact']),
  ];
}

function policyProblems(spec: PolicySpec, context: ApiContext): KindFieldProblem[] {
  const { paramKind, matchConstraints, matchConditions = [], variables = [], failurePolicy } = spec;
  const expressions = loadExpressions(context);
  const names = variables.map(({ name }) => name);
  return [
    ...unsupported('spec.failurePolicy', failurePolicy, ['Fail', 'Ignore']),
    ...(paramKind === undefined
      ? []
      : (['apiVersion', 'kind'] as const).flatMap((field) => (paramKind[field] ? [] : [required(`spec.paramKind.${field}`)]))),
    ...(matchConstraints === undefined ? [required('spec.matchConstraints')] : []),
    ...(matchConstraints && !matchConstraints.resourceRules?.length ? [required('spec.matchConstraints.resourceRules')] : []),
    ...matchProblems(matchConstraints, 'spec.matchConstraints'),
    ...conditionProblems(matchConditions, 'spec.matchConditions', (expression) =>
      expressions?.expressionProblem(expression, expressions.policyEnvironment()),
    ),
    ...variables.flatMap(({ name, expression }, index) => {
      const at = `spec.variables[${index}]`;
      const problem = expression && expressions && variableProblem(expressions, variables, index);
      return [
        ...(/^[A-Za-z_][A-Za-z0-9_]*$/.test(name ?? '') ? [] : [invalid(`${at}.name`, name ?? '', 'name is not a valid CEL identifier')]),
        ...(names.indexOf(name) < index ? [{ field: `${at}.name`, problem: `Duplicate value: ${JSON.stringify(name)}` }] : []),
        ...(expression ? [] : [required(`${at}.expression`, 'expression is not specified')]),
        ...(problem ? [invalid(`${at}.expression`, expression, problem)] : []),
      ];
    }),
  ];
}

type ExpressionsModule = NonNullable<ReturnType<typeof loadExpressions>>;

function variableProblem(
  { program, policyEnvironment }: ExpressionsModule,
  variables: readonly Variable[],
  index: number,
): string | undefined {
  try {
    program(variables[index]?.expression ?? '', policyEnvironment(variables.slice(0, index)));
    return undefined;
  } catch (error) {
    return `compilation failed: ${(error as Error).message}`;
  }
}

/** Checks the expressions that can refer to the variables of the policy. */
function checkIn({ variables = [] }: PolicySpec, context: ApiContext): CheckExpression {
  const expressions = loadExpressions(context);
  return (field, expression, kinds) => {
    if (expression === undefined || expressions === undefined) return [];
    const problem = expressions.expressionProblem(expression, expressions.policyEnvironment(variables ?? []), kinds);
    return problem ? [invalid(field, expression, problem)] : [];
  };
}

const reasons = ['Unauthorized', 'Forbidden', 'Invalid', 'RequestEntityTooLarge'];

export const validatingPolicyRules: KindRules = {
  prepareCreate: setPolicyDefaults,
  prepareUpdate: setPolicyDefaults,
  validate(object, context) {
    const spec = specOf<ValidatingPolicySpec>(object);
    const { validations = [], auditAnnotations = [] } = spec;
    const check = checkIn(spec, context);
    loadPolicies(context);
    const nothing = 'validations or auditAnnotations must contain at least one item';
    return [
      ...policyProblems(spec, context),
      ...(validations.length + auditAnnotations.length === 0
        ? [required('spec.validations', nothing), required('spec.auditAnnotations', nothing)]
        : []),
      ...validations.flatMap(({ expression, message, messageExpression, reason }, index) => {
        const at = `spec.validations[${index}]`;
        return [
          ...(expression?.trim()
            ? check(`${at}.expression`, expression, ['bool'])
            : [required(`${at}.expression`, 'expression is not specified')]),
          ...check(`${at}.messageExpression`, messageExpression, ['string']),
          ...(message !== undefined && message.trim() === ''
            ? [invalid(`${at}.message`, message, 'message must be non-empty if specified')]
            : []),
          ...(message?.trim().includes('\n') ? [invalid(`${at}.message`, message, 'message must not contain line breaks')] : []),
          ...unsupported(`${at}.reason`, reason, reasons),
        ];
      }),
      ...auditAnnotations.flatMap(({ key, valueExpression }, index) => {
        const at = `spec.auditAnnotations[${index}]`;
        return [
          ...(key
            ? qualifiedNameProblems(`${object.metadata.name}/${key}`).map((rule) => invalid(`${at}.key`, key, rule))
            : [required(`${at}.key`)]),
          ...(valueExpression
            ? check(`${at}.valueExpression`, valueExpression, ['string', 'null'])
            : [required(`${at}.valueExpression`, 'valueExpression must be non-empty')]),
        ];
      }),
    ];
  },
};

export const mutatingPolicyRules: KindRules = {
  prepareCreate: setPolicyDefaults,
  prepareUpdate: setPolicyDefaults,
  validate(object, context) {
    const spec = specOf<MutatingPolicySpec>(object);
    const { mutations = [], reinvocationPolicy } = spec;
    const check = checkIn(spec, context);
    loadPolicies(context);
    const forms = { ApplyConfiguration: 'applyConfiguration', JSONPatch: 'jsonPatch' } as const;
    return [
      ...policyProblems(spec, context),
      ...(mutations.length === 0 ? [required('spec.mutations', 'mutations must contain at least one item')] : []),
      ...(reinvocationPolicy
        ? unsupported('spec.reinvocationPolicy', reinvocationPolicy, ['IfNeeded', 'Never'])
        : [required('spec.reinvocationPolicy')]),
      ...mutations.flatMap((mutation, index) => {
        const at = `spec.mutations[${index}]`;
        const form = forms[mutation.patchType as keyof typeof forms];
        if (form === undefined)
          return mutation.patchType
            ? unsupported(`${at}.patchType`, mutation.patchType, Object.keys(forms))
            : [required(`${at}.patchType`)];
        const expression = mutation[form]?.expression;
        return expression
          ? check(`${at}.${form}.expression`, expression, form === 'jsonPatch' ? ['list'] : ['object', 'map'])
          : [required(`${at}.${form}.expression`, 'expression is not specified')];
      }),
    ];
  },
};

function setPolicyDefaults(object: ApiObject): void {
  fillIn(object, { spec: { failurePolicy: 'Fail' } });
  setMatchDefaults(specOf<PolicySpec>(object).matchConstraints);
}
