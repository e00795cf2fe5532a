import { actualCost } from './actual-cost.js';
import { CelCostError, CelEvalError } from './cel-error.js';
import type { CheckedExpr } from './checker.js';
import { listCost, mapCost, selectCost, structCost } from './costs.js';
import { equalValues } from './equality.js';
import type { Expr, FoldExpr } from './expr.js';
import { type CelFunctions, overloadFor } from './functions.js';
import { CelList, CelMap, CelOptional, CelStruct, CelTypeValue, CelUint, type CelValue, EntryMap, typeNameOf } from './values.js';

/** Variables of folds, the innermost first; an error is kept until it is used. */
interface Local {
  name: string;
  value: CelValue | CelEvalError;
  outer: Local | undefined;
}

/** A list or map that a fold builds; nothing else refers to it. */
class GrowingList extends CelList {
  readonly grown: CelValue[];
  constructor() {
    const grown: CelValue[] = [];
    super(grown);
    this.grown = grown;
  }
}

/** One evaluation of an expression, with its cost so far. */
export class Evaluation {
  cost = 0;
  readonly #checked: CheckedExpr;
  readonly #functions: CelFunctions;
  readonly #variable: (name: string) => CelValue | undefined;
  readonly #limit: number;
  #locals: Local | undefined;

  constructor(checked: CheckedExpr, functions: CelFunctions, variable: (name: string) => CelValue | undefined, limit: number) {
    this.#checked = checked;
    this.#functions = functions;
    this.#variable = variable;
    this.#limit = limit;
  }

  /** Throws a `CelEvalError`, or a `CelCostError` above the limit. */
  run(): CelValue {
    return this.#value(this.#checked.expr);
  }

  #charge(cost: number): void {
    this.cost += cost;
    if (this.cost > this.#limit) throw new CelCostError();
  }

  #value(expr: Expr): CelValue {
    switch (expr.kind) {
      case 'literal':
        return literalValue(expr.value);
      case 'ident':
        return this.#ident(expr.name);
      case 'select':
        return this.#select(expr);
      case 'call':
        return this.#call(expr);
      case 'list':
        this.#charge(isConstant(expr) ? 0 : listCost);
        return new CelList(expr.elements.flatMap(({ value, isOptional }) => this.#entry(value, isOptional)));
      case 'map':
        this.#charge(isConstant(expr) ? 0 : mapCost);
        return new EntryMap(
          expr.entries.flatMap(({ key, value, isOptional }) => {
            const text = this.#value(key);
            return this.#entry(value, isOptional).map((each) => [text, each] as const);
          }),
        );
      case 'struct':
        this.#charge(structCost);
        return new CelStruct(
          expr.type,
          expr.fields.flatMap(({ name, value, isOptional }) => this.#entry(value, isOptional).map((each) => [name, each] as const)),
        );
      case 'fold':
        return this.#fold(expr);
    }
  }

  /** The value of an entry; none for an optional one without a value. */
  #entry(expr: Expr, isOptional: boolean): CelValue[] {
    const value = this.#value(expr);
    if (!isOptional) return [value];
    if (!(value instanceof CelOptional))
      throw new CelEvalError(`cannot initialize optional entry from non-optional value ${typeNameOf(value)}`);
    return value.value === undefined ? [] : [value.value];
  }

  #ident(name: string): CelValue {
    this.#charge(selectCost);
    return this.#named(name);
  }

  #named(name: string): CelValue {
    for (let local = this.#locals; local; local = local.outer) {
      if (local.name !== name) continue;
      if (local.value instanceof CelEvalError) throw local.value;
      return local.value;
    }
    return this.#variable(name) ?? new CelTypeValue(name);
  }

  #select(expr: Extract<Expr, { kind: 'select' }>): CelValue {
    const type = this.#checked.qualified.get(expr);
    if (type !== undefined) return new CelTypeValue(type);
    const operand = this.#value(expr.operand);
    const isOptional = expr.isOptional || operand instanceof CelOptional;
    const holder = operand instanceof CelOptional ? operand.value : operand;
    const found = holder instanceof CelMap ? holder.get(expr.field) : undefined;
    if (!expr.isTest && (found !== undefined || !isOptional)) this.#charge(selectCost);
    if (expr.isTest) return found !== undefined;
    if (isOptional) return found instanceof CelOptional ? found : new CelOptional(found);
    if (found === undefined) throw new CelEvalError(`no such key: ${expr.field}`);
    return found;
  }

  #call(expr: Extract<Expr, { kind: 'call' }>): CelValue {
    const [first, second] = expr.args as [Expr, Expr];
    switch (expr.name) {
      case '_&&_':
        return this.#logic(first, second, false);
      case '_||_':
        return this.#logic(first, second, true);
      case '_?_:_': {
        const condition = this.#value(first);
        if (typeof condition !== 'boolean') throw noOverload();
        return this.#branch(expr.args[condition ? 1 : 2] as Expr);
      }
      case '@not_strictly_false':
        return this.#notFalse(first);
      case '_+_': {
        const grown = this.#appended(first, second);
        if (grown) return grown;
      }
    }
    return this.#function(expr);
  }

  /** The value of a branch; the cost of a variable counts where the condition is resolved. */
  #branch(expr: Expr): CelValue {
    return expr.kind === 'ident' ? this.#named(expr.name) : this.#value(expr);
  }

  #function(expr: Extract<Expr, { kind: 'call' }>): CelValue {
    if (expr.name === '@in' && isConstant(expr.args[1] as Expr)) return this.#member(expr);
    const qualified = this.#checked.qualified.get(expr);
    const isMember = expr.target !== undefined && qualified === undefined;
    const name = qualified ?? expr.name;
    const target = isMember && expr.target ? [this.#value(expr.target)] : [];
    if ((name === 'or' || name === 'orValue') && target[0] instanceof CelOptional && target[0].value !== undefined) {
      return name === 'or' ? target[0] : target[0].value;
    }
    const args = [...target, ...expr.args.map((arg) => this.#value(arg))];
    const overloads = this.#checked.calls.get(expr) ?? this.#functions.get(name) ?? [];
    const found = overloadFor(overloads, isMember, args);
    if (found === undefined) throw noOverloadOf(name, args);
    this.#charge(isConstant(expr) && conversions.has(name) ? 0 : actualCost(name, found, args));
    return found.run(...args);
  }

  /** Membership in a list of constants, which a hash finds for nothing. */
  #member({ args }: Extract<Expr, { kind: 'call' }>): boolean {
    const [item, list] = args.map((each) => this.#value(each)) as [CelValue, CelValue];
    if (list instanceof CelMap) {
      this.#charge(1);
      return list.get(item) !== undefined;
    }
    if (!(list instanceof CelList)) throw noOverload();
    return list.items.some((each) => equalValues(each, item));
  }

  /** `&&` and `||`: `decisive` on either side wins over an error on the other. */
  #logic(left: Expr, right: Expr, decisive: boolean): boolean {
    let error: unknown;
    for (const side of [left, right]) {
      try {
        const value = this.#value(side);
        if (value === decisive) return decisive;
        if (typeof value !== 'boolean') throw noOverload();
      } catch (caught) {
        if (!(caught instanceof CelEvalError)) throw caught;
        error ??= caught;
      }
    }
    if (error !== undefined) throw error;
    return !decisive;
  }

  #notFalse(expr: Expr): boolean {
    this.#charge(1);
    try {
      return this.#value(expr) !== false;
    } catch (error) {
      if (!(error instanceof CelEvalError)) throw error;
      return true;
    }
  }

  /** Adds to the list that a fold builds, without copying it. */
  #appended(left: Expr, right: Expr): CelList | undefined {
    if (left.kind !== 'ident' || !left.name.startsWith('@') || right.kind !== 'list') return undefined;
    const list = this.#ident(left.name);
    if (!(list instanceof GrowingList)) return undefined;
    this.#charge(listCost + 1);
    for (const { value } of right.elements) list.grown.push(this.#value(value));
    return list;
  }

  #fold(expr: FoldExpr): CelValue {
    const range = this.#value(expr.range);
    const rounds = roundsOf(range, expr.variables.length);
    const outer = this.#locals;
    const isBuilding = expr.initial.kind === 'list' && expr.initial.elements.length === 0 && expr.accumulator.startsWith('@');
    const accumulator: Local = { name: expr.accumulator, value: isBuilding ? new GrowingList() : this.#value(expr.initial), outer };
    const isEndless = expr.condition.kind === 'literal' && expr.condition.value === true;
    try {
      for (const values of rounds) {
        this.#locals = accumulator;
        if (this.#value(expr.condition) !== true) break;
        for (const [index, value] of values.entries()) this.#locals = { name: expr.variables[index] as string, value, outer: this.#locals };
        accumulator.value = this.#valueOrError(expr.step);
        if (isEndless && accumulator.value instanceof CelEvalError) break;
      }
      this.#locals = accumulator;
      return this.#value(expr.result);
    } finally {
      this.#locals = outer;
    }
  }

  #valueOrError(expr: Expr): CelValue | CelEvalError {
    try {
      return this.#value(expr);
    } catch (error) {
      if (error instanceof CelEvalError) return error;
      throw error;
    }
  }
}

/** The values of the loop variables of each round. */
function* roundsOf(range: CelValue, count: number): Generator<CelValue[]> {
  if (range instanceof CelList) {
    for (const [index, item] of range.items.entries()) yield count === 1 ? [item] : [BigInt(index), item];
  } else if (range instanceof CelMap) {
    for (const key of range.keys()) yield count === 1 ? [key] : [key, range.get(key) as CelValue];
  } else throw noOverload();
}

const noOverload = () => new CelEvalError('no such overload');

/** Conversions and functions of one overload name their arguments. */
const noOverloadOf = (name: string, args: readonly CelValue[]) =>
  /^\w+$/.test(name) && (conversions.has(name) || ['sum', 'max', 'min', 'isSorted', 'join'].includes(name))
    ? new CelEvalError(`no such overload: ${name}(${args.map(typeNameOf).join(', ')})`)
    : noOverload();

/** Functions whose calls with constants are evaluated once. */
const conversions = new Set(['int', 'uint', 'double', 'bool', 'string', 'bytes', 'duration', 'timestamp', 'type', 'dyn']);

/** Whether an expression has the same value always: a literal, or a list, a map or a conversion of such. */
function isConstant(expr: Expr): boolean {
  switch (expr.kind) {
    case 'literal':
      return true;
    case 'list':
      return expr.elements.every(({ value, isOptional }) => !isOptional && isConstant(value));
    case 'map':
      return expr.entries.every(({ key, value, isOptional }) => !isOptional && isConstant(key) && isConstant(value));
    case 'call':
      return expr.target === undefined && conversions.has(expr.name) && expr.args.every(isConstant);
    default:
      return false;
  }
}

function literalValue(value: Extract<Expr, { kind: 'literal' }>['value']): CelValue {
  return value !== null && typeof value === 'object' && 'unsigned' in value ? new CelUint(value.unsigned) : value;
}
