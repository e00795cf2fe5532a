import { errorMessage } from '@nodeagent/api';
import type { AdmissionRequest } from '../../access/admission-request.js';
import { toJson } from '../../cel/adapt.js';
import { type CelProgram, compile } from '../../cel/cel.js';
import { overload } from '../../cel/functions.js';
import { type CelField, type CelType, celTypes } from '../../cel/types.js';
import { CelMap, type CelValue } from '../../cel/values.js';
import type { ApiContext } from '../../context.js';
import type { ApiObject } from '../../objects.js';
import type { ReviewRequest } from '../admission-review.js';
import { authorizerFunctions, authorizerType, authorizerValue } from './authorizer-library.js';

/** A condition that a request must meet: Kubernetes API reference, "MatchCondition". */
export interface MatchCondition {
  name: string;
  expression: string;
}

const { dyn } = celTypes;

/** The variables of a kind of expression by their types. */
export interface Environment {
  /** Equal for equal variables. */
  key: string;
  types: Readonly<Record<string, CelType>>;
}

const types: Environment['types'] = { object: dyn, oldObject: dyn, request: dyn, authorizer: authorizerType };

/** Conditions of webhooks. */
export const webhookEnvironment: Environment = { key: 'webhook', types };

/** Conditions and variables of policies; the latter refer to those before them. `known`: types of variables that are known. */
export function policyEnvironment(variables: readonly Variable[] = [], known: Environment = { key: 'policy', types: {} }): Environment {
  let environment: Environment = { key: known.key, types: { ...types, params: dyn, namespaceObject: dyn, ...known.types } };
  const fields = new Map<string, CelField>();
  for (const { name, expression } of variables) {
    fields.set(name, { jsonName: name, type: typeOf(expression, environment) });
    const key = `${environment.key} ${name}=${expression}`;
    environment = { key, types: { ...environment.types, variables: { kind: 'object', name: 'variables', fields: new Map(fields) } } };
  }
  return environment;
}

/** A named expression of a policy. */
export interface Variable {
  name: string;
  expression: string;
}

/** An invalid variable has any type; it is refused by itself. */
function typeOf(expression: string, environment: Environment): CelType {
  try {
    return program(expression, environment).type;
  } catch {
    return dyn;
  }
}

const compiled = new Map<string, CelProgram>();
/** Programs are kept for the expressions of a cluster, not for endless new ones. */
const maxCompiled = 2_000;

/** Compiles an expression. Throws a `CelCompileError`. */
export function program(expression: string, { key: environment, types: variables }: Environment): CelProgram {
  const key = `${environment}\n${expression}`;
  const known = compiled.get(key);
  if (known) return known;
  if (compiled.size >= maxCompiled) compiled.clear();
  // `authorizer` is an opaque value, which has methods only.
  const text = expression.replace(/\bauthorizer\.requestResource\b(?!\()/g, 'authorizer.requestResource()');
  const objectType = (name: string) => (/^(Object|JSONPatch)(\.|$)/.test(name) ? dyn : undefined);
  const made = compile(text, { variables, functions: [...authorizerFunctions, escapeKey], objectType });
  compiled.set(key, made);
  return made;
}

/** Escapes a key for the path of a JSON Patch. */
const escapeKey = overload('jsonpatch.escapeKey(string) string', (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1'));

/** Why an expression is invalid, in the words of the API; undefined if it is valid. */
export function expressionProblem(
  expression: string,
  environment: Environment,
  kinds: readonly CelType['kind'][] = ['bool'],
): string | undefined {
  try {
    const { kind } = program(expression, environment).type;
    return kind === 'dyn' || kinds.includes(kind) ? undefined : `must evaluate to ${kinds.join(' or ')}`;
  } catch (error) {
    return `compilation failed: ${errorMessage(error)}`;
  }
}

/** What one request may cost in all expressions of one webhook or policy. */
const maxCost = 10_000_000;

/** Evaluates the expressions of one webhook or policy for one request. */
export class Expressions {
  readonly #given: Readonly<Record<string, unknown>>;
  #left = maxCost;

  /** `given`: the variables, as JSON, values of CEL, or functions that return one; `variables` those of a policy. */
  constructor(given: Readonly<Record<string, unknown>>, variables: readonly Variable[] = []) {
    this.#given = { ...given, variables: new LazyVariables(variables, (each, environment) => this.value(each, environment)) };
  }

  /** The value. Throws a `CelEvalError` or a `CelCostError`. */
  value(expression: string, environment: Environment): CelValue {
    const { value, cost } = program(expression, environment).evaluate(this.#given);
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

/** The variables of a policy, evaluated once when an expression reads them. */
class LazyVariables extends CelMap {
  readonly #variables: readonly Variable[];
  readonly #evaluate: (expression: string, environment: Environment) => CelValue;
  readonly #known = new Map<CelValue, CelValue>();

  constructor(variables: readonly Variable[], evaluate: (expression: string, environment: Environment) => CelValue) {
    super();
    this.#variables = variables;
    this.#evaluate = evaluate;
  }

  get size(): number {
    return this.#variables.length;
  }

  keys(): CelValue[] {
    return this.#variables.map(({ name }) => name);
  }

  get(key: CelValue): CelValue | undefined {
    const index = this.#variables.findIndex(({ name }) => name === key);
    const variable = this.#variables[index];
    if (variable === undefined) return undefined;
    let value = this.#known.get(key);
    if (value === undefined) {
      value = this.#evaluate(variable.expression, policyEnvironment(this.#variables.slice(0, index)));
      this.#known.set(key, value);
    }
    return value;
  }
}

/** The variables that all expressions have. */
export function requestVariables(
  request: AdmissionRequest,
  review: ReviewRequest,
  { authorize, store }: ApiContext,
): Record<string, unknown> {
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
