import { errorMessage } from '@nodeagent/api';
import { type CelType, celTypes } from '../../cel/types.js';
import { splitApiVersion } from '../../objects.js';
import type { ResourceRegistry } from '../../registry/registry.js';
import { apiVersionOf, type ServedResource } from '../../registry/resource.js';
import { type Environment, policyEnvironment, program } from '../expressions/expressions.js';
import type { Rule } from '../rules.js';
import { objectCelType } from './object-cel-type.js';
import type { ValidatingPolicySpec } from './policy.js';

/** Kubernetes API reference, "ExpressionWarning". */
export interface ExpressionWarning {
  fieldRef: string;
  warning: string;
}

/** Resources of a rule whose types are checked. */
const maxTypes = 10;

/**
 * What is wrong with the expressions of a policy for the types that it matches by name: Kubernetes documentation, "Validating Admission Policy:
 * Type checking".
 */
export function expressionWarnings(spec: ValidatingPolicySpec, registry: ResourceRegistry): ExpressionWarning[] {
  const environments = typesOf(spec, registry).flatMap((definition) => {
    const object = objectCelType(definition);
    return object ? [{ definition, environment: environmentFor(object, spec, registry) }] : [];
  });
  const warningsOf = (fieldRef: string, expression: string | undefined): ExpressionWarning[] => {
    if (!expression) return [];
    const problems = environments.flatMap(({ definition, environment }) => {
      const problem = compileProblem(expression, environment);
      return problem ? [`${apiVersionOf(definition)}, Kind=${definition.kind}: compilation failed: ${problem}\n`] : [];
    });
    return problems.length > 0 ? [{ fieldRef, warning: problems.join('\n') }] : [];
  };
  return (spec.validations ?? []).flatMap(({ expression, messageExpression }, index) => [
    ...warningsOf(`spec.validations[${index}].expression`, expression),
    ...warningsOf(`spec.validations[${index}].messageExpression`, messageExpression),
  ]);
}

function compileProblem(expression: string, environment: Environment): string | undefined {
  try {
    program(expression, environment);
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}

let environments = 0;

function environmentFor(object: CelType, { paramKind, variables }: ValidatingPolicySpec, registry: ResourceRegistry): Environment {
  const { group, version } = splitApiVersion(paramKind?.apiVersion ?? '');
  const params = paramKind && registry.findByKind(group, version, paramKind.kind ?? '');
  // Schemas change, so no program is used again.
  return policyEnvironment(variables ?? [], {
    key: `types ${environments++}`,
    types: { object, oldObject: object, params: (params && objectCelType(params)) ?? celTypes.dyn },
  });
}

/** The resources that the rules match by name, sorted by group, version and kind. */
function typesOf({ matchConstraints }: ValidatingPolicySpec, registry: ResourceRegistry): ServedResource[] {
  const found = new Set<ServedResource>();
  for (const rule of matchConstraints?.resourceRules ?? []) for (const definition of typesOfRule(rule, registry)) found.add(definition);
  const order = ({ group, version, kind }: ServedResource) => [group, version, kind];
  return [...found].sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

function typesOfRule({ apiGroups, apiVersions, resources }: Rule, registry: ResourceRegistry): ServedResource[] {
  const hasWildcard = [...(apiGroups ?? []), ...(apiVersions ?? [])].some((each) => each.includes('*'));
  if (hasWildcard) return [];
  const names = [...(resources ?? [])].filter((each) => !/[*/]/.test(each)).sort();
  return [...(apiGroups ?? [])]
    .sort()
    .flatMap((group) =>
      [...(apiVersions ?? [])].sort().flatMap((version) => names.flatMap((name) => registry.find(group, version, name) ?? [])),
    )
    .slice(0, maxTypes);
}
