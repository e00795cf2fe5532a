import { errorMessage } from '@nodeagent/api';
import type { AdmissionRequest } from '../../access/admission-request.js';
import { toJson } from '../../cel/adapt.js';
import { type CelProgram, compile } from '../../cel/cel.js';
import { type CelType, celTypes } from '../../cel/types.js';
import type { CelValue } from '../../cel/values.js';
import type { ApiContext } from '../../context.js';
import type { ApiObject } from '../../objects.js';
import type { ReviewRequest } from '../admission-review.js';
import { authorizerFunctions, authorizerType, authorizerValue } from './authorizer-library.js';

/** A condition that a request must meet: Kubernetes API reference, "MatchCondition". */
export interface MatchCondition {
  name: string;
  expression: string;
}

/** The variables of an expression: JSON, values of CEL, or functions that return one. */
export type Variables = Readonly<Record<string, unknown>>;

const { dyn } = celTypes;
const base: Readonly<Record<string, CelType>> = { object: dyn, oldObject: dyn, request: dyn, authorizer: authorizerType };

/** The variables that each kind of expression has. */
const environments = {
  /** Conditions of webhooks. */
  webhook: base,
  policy: { ...base, params: dyn, namespaceObject: dyn, variables: dyn },
  /** Conditions of policies do not have variables, because they decide whether these are needed. */
  policyCondition: { ...base, params: dyn, namespaceObject: dyn },
} satisfies Record<string, Readonly<Record<string, CelType>>>;

export type Environment = keyof typeof environments;

const compiled = new Map<string, CelProgram>();
/** Programs are kept for the expressions of a cluster, not for endless new ones. */
const maxCompiled = 2_000;

/** Compiles an expression. Throws a `CelCompileError`. */
export function program(expression: string, environment: Environment): CelProgram {
  const key = `${environment} ${expression}`;
  const known = compiled.get(key);
  if (known) return known;
  if (compiled.size >= maxCompiled) compiled.clear();
  // `authorizer` is an opaque value, which has methods only.
  const text = expression.replace(/\bauthorizer\.requestResource\b(?!\()/g, 'authorizer.requestResource()');
  const made = compile(text, {
    variables: environments[environment],
    functions: authorizerFunctions,
    objectType: (name) => (/^(Object|JSONPatch)(\.|$)/.test(name) ? dyn : undefined),
  });
  compiled.set(key, made);
  return made;
}

/** Why an expression is invalid, in the words of the API; undefined if it is valid. */
export function expressionProblem(
  expression: string,
  environment: Environment,
  kinds: readonly CelType['kind'][] = ['bool'],
): string | undefined {
  try {
    const { kind } = program(expression, environment).type;
    if (kind === 'dyn' || kinds.includes(kind)) return undefined;
    return `must evaluate to ${kinds.join(' or ')}`;
  } catch (error) {
    return `compilation failed: ${errorMessage(error)}`;
  }
}

/** What one request may cost in all expressions of one webhook or policy. */
const maxCost = 10_000_000;

/** Evaluates the expressions of one webhook or policy for one request. */
export class Expressions {
  readonly #variables: Variables;
  #left = maxCost;

  constructor(variables: Variables) {
    this.#variables = variables;
  }

  /** The value. Throws a `CelEvalError` or a `CelCostError`. */
  value(expression: string, environment: Environment): CelValue {
    const { value, cost } = program(expression, environment).evaluate(this.#variables);
    this.#left -= cost;
    if (this.#left < 0) throw new Error('validation failed due to running out of cost budget, no further validation rules will be run');
    return value;
  }

  json(expression: string, environment: Environment): unknown {
    return toJson(this.value(expression, environment));
  }

  /**
   * Whether all conditions hold. One that is false decides, even if others fail; else the error of a failing one is thrown: Kubernetes
   * documentation, "Matching requests: matchConditions".
   */
  meets(conditions: readonly MatchCondition[], environment: Environment): boolean {
    const failures: string[] = [];
    for (const { expression } of conditions) {
      try {
        if (this.value(expression, environment) === false) return false;
      } catch (error) {
        failures.push(`expression '${expression}' resulted in error: ${errorMessage(error)}`);
      }
    }
    if (failures.length > 0) throw new Error(failures.length === 1 ? failures[0] : `[${failures.join(', ')}]`);
    return true;
  }
}

/** The variables that all expressions have. */
export function requestVariables(request: AdmissionRequest, review: ReviewRequest, { authorize, store }: ApiContext): Variables {
  const { object, oldObject, ...rest } = review;
  const { user, group, resource, subresource, namespace, name } = request;
  const asked = {
    user,
    isResource: true,
    group,
    version: '*',
    resource,
    ...(subresource && { subresource }),
    ...(namespace && { namespace }),
    name,
  };
  return {
    object,
    oldObject,
    request: rest,
    authorizer: authorizerValue(authorize, asked),
    namespaceObject: () => namespaceObject(store.get('/namespaces', undefined, namespace ?? '')),
  };
}

/** Of a namespace the fields that do not change all the time. */
function namespaceObject(namespace: ApiObject | undefined): unknown {
  if (namespace === undefined) return null;
  const { managedFields: _managed, resourceVersion: _version, ...metadata } = namespace.metadata;
  return { ...namespace, metadata };
}
