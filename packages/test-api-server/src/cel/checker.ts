import type { CelIssue, Expr, FoldExpr, NodeTypes } from './expr.js';
import type { CelFunctions, CelOverload } from './functions.js';
import { typeName } from './parser.js';
import {
  type Bindings,
  type CelType,
  celTypes,
  isAssignable,
  joinTypes,
  listOf,
  mapOf,
  type SimpleKind,
  substitute,
  typeText,
} from './types.js';

/** What an expression can refer to. */
export interface CheckScope {
  variables: Readonly<Record<string, CelType>>;
  functions: CelFunctions;
  /** The object type of a name, for literals such as `Object{...}`. */
  objectType(name: string): CelType | undefined;
}

/** An expression with its types. */
export interface CheckedExpr {
  expr: Expr;
  types: NodeTypes;
  /** The overloads that each call may use. */
  calls: Map<Expr, readonly CelOverload[]>;
  /** Calls whose target is a namespace, such as `sets.contains`. */
  qualified: Map<Expr, string>;
}

/** Names of types as values, as in `type(x) == int`. */
const typeValues = new Set(
  'bool int uint double string bytes list map null_type type optional_type google.protobuf.Timestamp google.protobuf.Duration net.IP net.CIDR kubernetes.URL kubernetes.Quantity kubernetes.Semver'.split(
    ' ',
  ),
);

/** The type of a type's name. */
function namedType(name: string): CelType {
  const ofList = { list: listOf(celTypes.dyn), map: mapOf(celTypes.dyn, celTypes.dyn) }[name];
  const simple = {
    null_type: celTypes.null,
    'google.protobuf.Timestamp': celTypes.timestamp,
    'google.protobuf.Duration': celTypes.duration,
  }[name];
  const of = ofList ?? simple ?? (Object.hasOwn(celTypes, name) ? celTypes[name as SimpleKind] : { kind: 'opaque' as const, name });
  return { kind: 'type', of };
}

/** Infers and checks the types of an expression. CEL language definition, "Gradual type checking". */
export function check(expr: Expr, scope: CheckScope): CheckedExpr & { issues: CelIssue[] } {
  const checker = new Checker(scope);
  checker.typeOf(expr);
  return { expr, types: checker.types, calls: checker.calls, qualified: checker.qualified, issues: checker.issues };
}

class Checker {
  readonly types: NodeTypes = new Map();
  readonly calls = new Map<Expr, readonly CelOverload[]>();
  readonly qualified = new Map<Expr, string>();
  readonly issues: CelIssue[] = [];
  readonly #scope: CheckScope;
  /** The variables of folds, the innermost last. */
  readonly #locals: [string, CelType][] = [];

  constructor(scope: CheckScope) {
    this.#scope = scope;
  }

  typeOf(expr: Expr): CelType {
    const type = this.#infer(expr);
    this.types.set(expr, type);
    return type;
  }

  #fail(at: number, message: string): CelType {
    this.issues.push({ at, message });
    return celTypes.dyn;
  }

  #infer(expr: Expr): CelType {
    switch (expr.kind) {
      case 'literal':
        return literalType(expr.value);
      case 'ident':
        return this.#ident(expr.name, expr.at);
      case 'select':
        return this.#select(expr);
      case 'call':
        return this.#call(expr);
      case 'list':
        return this.#list(expr);
      case 'map':
        return this.#map(expr);
      case 'struct':
        return this.#struct(expr);
      case 'fold':
        return this.#fold(expr);
    }
  }

  #variable(name: string): CelType | undefined {
    const local = this.#locals.findLast(([each]) => each === name);
    if (local) return local[1];
    return Object.hasOwn(this.#scope.variables, name) ? this.#scope.variables[name] : undefined;
  }

  #ident(name: string, at: number): CelType {
    const variable = this.#variable(name);
    if (variable) return variable;
    if (typeValues.has(name)) return namedType(name);
    return this.#fail(at, `undeclared reference to '${name}' (in container '')`);
  }

  #select(expr: Extract<Expr, { kind: 'select' }>): CelType {
    const path = typeName(expr);
    const root = path?.split('.')[0];
    if (path !== undefined && root !== undefined && this.#variable(root) === undefined && typeValues.has(path)) {
      this.qualified.set(expr, path);
      return namedType(path);
    }
    const found = this.#field(this.typeOf(expr.operand), expr.field, expr.at);
    if (expr.isTest) return celTypes.bool;
    return expr.isOptional && found.kind !== 'optional' ? { kind: 'optional', element: found } : found;
  }

  #field(operand: CelType, field: string, at: number): CelType {
    switch (operand.kind) {
      case 'object':
        return operand.fields.get(field)?.type ?? this.#fail(at, `undefined field '${field}'`);
      case 'map':
        return operand.value;
      case 'optional': {
        const inner = this.#field(operand.element, field, at);
        return inner.kind === 'optional' ? inner : { kind: 'optional', element: inner };
      }
      case 'dyn':
      case 'free':
        return celTypes.dyn;
      default:
        return this.#fail(at, `type '${typeText(operand)}' does not support field selection`);
    }
  }

  #call(expr: Extract<Expr, { kind: 'call' }>): CelType {
    if (expr.name === '_&&_' || expr.name === '_||_') return this.#logic(expr);
    const { target } = expr;
    const namespace = target && typeName(target);
    const name = `${namespace}.${expr.name}`;
    const isQualified =
      namespace !== undefined && this.#variable(namespace.split('.')[0] ?? '') === undefined && this.#scope.functions.has(name);
    if (isQualified) this.qualified.set(expr, name);
    const own = target && !isQualified ? [target] : [];
    const args = [...own, ...expr.args].map((arg) => this.typeOf(arg));
    const overloads = this.#scope.functions.get(isQualified ? name : expr.name);
    if (overloads === undefined) return this.#fail(expr.at, `undeclared reference to '${expr.name}' (in container '')`);
    return this.#resolve(expr, overloads, args, own.length > 0);
  }

  /** The operands of `&&` and `||` are checked one by one. */
  #logic(expr: Extract<Expr, { kind: 'call' }>): CelType {
    for (const operand of expr.args) this.#expectBool(operand);
    return celTypes.bool;
  }

  #resolve(expr: Extract<Expr, { kind: 'call' }>, overloads: readonly CelOverload[], args: CelType[], isMember: boolean): CelType {
    const fitting: CelOverload[] = [];
    let result: CelType | undefined;
    for (const each of overloads) {
      if (each.isMember !== isMember || each.parameters.length !== args.length) continue;
      const bindings: Bindings = new Map();
      if (!each.parameters.every((parameter, index) => isAssignable(parameter, args[index] as CelType, bindings))) continue;
      fitting.push(each);
      const type = substitute(each.result, bindings);
      result = result === undefined || typeText(result) === typeText(type) ? type : celTypes.dyn;
    }
    if (result === undefined) {
      const [first, ...rest] = args.map(typeText);
      const shown = isMember ? `${first}.(${rest.join(', ')})` : `(${args.map(typeText).join(', ')})`;
      const name = this.qualified.get(expr) ?? expr.name;
      return this.#fail(expr.at, `found no matching overload for '${name}' applied to '${shown}'`);
    }
    this.calls.set(expr, fitting);
    return result;
  }

  #list({ elements }: Extract<Expr, { kind: 'list' }>): CelType {
    const types = elements.map(({ value, isOptional }) => this.#element(value, isOptional));
    return { ...listOf(types.reduce(joinTypes, celTypes.free)), maxSize: elements.length };
  }

  #map({ entries }: Extract<Expr, { kind: 'map' }>): CelType {
    const keys = entries.map(({ key }) => this.typeOf(key));
    const values = entries.map(({ value, isOptional }) => this.#element(value, isOptional));
    return { ...mapOf(keys.reduce(joinTypes, celTypes.free), values.reduce(joinTypes, celTypes.free)), maxSize: entries.length };
  }

  /** The type of an element; of an optional one that of its value. */
  #element(value: Expr, isOptional: boolean): CelType {
    const type = this.typeOf(value);
    if (!isOptional) return type;
    if (type.kind === 'optional') return type.element;
    return type.kind === 'dyn'
      ? type
      : this.#fail(value.at, `expected type 'optional_type(${typeText(type)})' but found '${typeText(type)}'`);
  }

  #struct({ type: name, fields, at }: Extract<Expr, { kind: 'struct' }>): CelType {
    const type = this.#scope.objectType(name);
    if (type?.kind !== 'object') {
      for (const { value } of fields) this.typeOf(value);
      return type ?? this.#fail(at, `undeclared reference to '${name}' (in container '')`);
    }
    for (const { name: field, value, isOptional } of fields) {
      const actual = this.#element(value, isOptional);
      const expected = type.fields.get(field)?.type;
      if (expected === undefined) this.#fail(value.at, `undefined field '${field}'`);
      else if (!isAssignable(expected, actual, new Map())) {
        this.#fail(value.at, `expected type of field '${field}' is '${typeText(expected)}' but provided type is '${typeText(actual)}'`);
      }
    }
    return type;
  }

  #fold(expr: FoldExpr): CelType {
    const range = this.typeOf(expr.range);
    const variables = loopTypes(range, expr.variables.length);
    if (variables === undefined) {
      const problem = `expression of type '${typeText(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`;
      this.#fail(expr.range.at, problem);
    }
    const initial = this.typeOf(expr.initial);
    const depth = this.#locals.length;
    this.#locals.push([expr.accumulator, initial]);
    for (const [index, name] of expr.variables.entries()) this.#locals.push([name, variables?.[index] ?? celTypes.dyn]);
    this.#expectBool(expr.condition);
    const step = this.typeOf(expr.step);
    this.#locals.length = depth;
    const accumulated = joinTypes(initial, step);
    const isLoop = expr.condition.kind !== 'literal' || expr.condition.value !== false;
    if (isLoop && accumulated.kind === 'dyn' && step.kind !== 'dyn' && initial.kind !== 'dyn') {
      this.#fail(expr.step.at, `found no matching overload for '_&&_' applied to '(${typeText(initial)}, ${typeText(step)})'`);
    }
    this.#locals.push([expr.accumulator, { ...accumulated, ...(range.maxSize !== undefined && isLoop && { maxSize: range.maxSize }) }]);
    const result = this.typeOf(expr.result);
    this.#locals.length = depth;
    return result;
  }

  #expectBool(expr: Expr): void {
    const type = this.typeOf(expr);
    if (!isAssignable(celTypes.bool, type, new Map())) this.#fail(expr.at, `expected type 'bool' but found '${typeText(type)}'`);
  }
}

/** The types of the variables of a loop. */
export function loopTypes(range: CelType, count: number): CelType[] | undefined {
  switch (range.kind) {
    case 'list':
      return count === 1 ? [range.element] : [celTypes.int, range.element];
    case 'map':
      return [range.key, range.value];
    case 'object':
      return undefined;
    case 'dyn':
    case 'free':
      return [celTypes.dyn, celTypes.dyn];
    default:
      return undefined;
  }
}

function literalType(value: Extract<Expr, { kind: 'literal' }>['value']): CelType {
  if (value === null) return celTypes.null;
  if (typeof value === 'boolean') return celTypes.bool;
  if (typeof value === 'bigint') return celTypes.int;
  if (typeof value === 'number') return celTypes.double;
  if (typeof value === 'string') return { kind: 'string', maxSize: value.length };
  return value instanceof Uint8Array ? { kind: 'bytes', maxSize: value.length } : celTypes.uint;
}
