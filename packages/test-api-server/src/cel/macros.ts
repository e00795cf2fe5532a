import type { Expr } from './expr.js';
import { ParseIssue } from './tokens.js';

type Call = Extract<Expr, { kind: 'call' }>;

const accumulator = '@result';

/** Expands a call of a macro, such as `list.all(x, x > 1)`. CEL language definition, "Macros"; "Extensions: Two-variable comprehensions". */
export function expandMacro(call: Call): Expr {
  const { name, target, args, at } = call;
  if (target === undefined) return name === 'has' && args.length === 1 ? testOf(args[0] as Expr, at) : call;
  if ((name === 'optMap' || name === 'optFlatMap') && args.length === 2) return optionalMap(call, target);
  const macro = macros[`${name}/${args.length}`];
  return macro ? macro(target, args, at) : call;
}

function testOf(operand: Expr, at: number): Expr {
  if (operand.kind !== 'select' || operand.isOptional) throw new ParseIssue(operand.at, 'invalid argument to has() macro');
  return { ...operand, isTest: true, at };
}

function variableOf(expr: Expr | undefined): string {
  if (expr?.kind !== 'ident') throw new ParseIssue(expr?.at ?? 0, 'argument must be a simple name');
  return expr.name;
}

const builder = (at: number) => {
  const literal = (value: boolean | bigint | null): Expr => ({ kind: 'literal', value, at });
  const call = (name: string, ...args: Expr[]): Expr => ({ kind: 'call', name, args, at });
  const list = (...elements: Expr[]): Expr => ({ kind: 'list', elements: elements.map((value) => ({ value, isOptional: false })), at });
  const accu: Expr = { kind: 'ident', name: accumulator, at };
  const fold = (parts: { range: Expr; variables: string[]; initial: Expr; step: Expr; condition?: Expr; result?: Expr }): Expr => {
    const { condition = literal(true), result = accu, ...rest } = parts;
    return { kind: 'fold', accumulator, condition, result, ...rest, at };
  };
  return { literal, call, list, accu, fold };
};

type Macro = (range: Expr, args: Expr[], at: number) => Expr;

/** The variables of a loop: one or two different names. */
function names(args: readonly Expr[]): string[] {
  const found = args.map(variableOf);
  if (found.length === 2 && found[0] === found[1]) throw new ParseIssue((args[1] as Expr).at, `duplicate variable name: ${found[0]}`);
  return found;
}

/** The arguments of a macro before its last one. */
const loopVariables = (args: Expr[]) => names(args.slice(0, -1));
const body = (args: Expr[]) => args.at(-1) as Expr;

const all: Macro = (range, args, at) => {
  const { literal, call, accu, fold } = builder(at);
  const condition = call('@not_strictly_false', accu);
  return fold({ range, variables: loopVariables(args), initial: literal(true), condition, step: call('_&&_', accu, body(args)) });
};

const exists: Macro = (range, args, at) => {
  const { literal, call, accu, fold } = builder(at);
  const condition = call('@not_strictly_false', call('!_', accu));
  return fold({ range, variables: loopVariables(args), initial: literal(false), condition, step: call('_||_', accu, body(args)) });
};

const existsOne: Macro = (range, args, at) => {
  const { literal, call, accu, fold } = builder(at);
  const step = call('_?_:_', body(args), call('_+_', accu, literal(1n)), accu);
  return fold({ range, variables: loopVariables(args), initial: literal(0n), step, result: call('_==_', accu, literal(1n)) });
};

/** `map(x, value)` and `map(x, condition, value)`, with one variable or two. */
const mapping =
  (variables: number): Macro =>
  (range, args, at) => {
    const { call, list, accu, fold } = builder(at);
    const added = call('_+_', accu, list(body(args)));
    const [condition] = args.slice(variables, -1);
    const step = condition ? call('_?_:_', condition, added, accu) : added;
    return fold({ range, variables: names(args.slice(0, variables)), initial: list(), step });
  };

const filter: Macro = (range, args, at) => {
  const { call, list, accu, fold } = builder(at);
  const step = call('_?_:_', body(args), call('_+_', accu, list(args[0] as Expr)), accu);
  return fold({ range, variables: loopVariables(args), initial: list(), step });
};

const transformMap: Macro = (range, args, at) => {
  const { call, accu, fold } = builder(at);
  const added = call('cel.@mapInsert', accu, args[0] as Expr, body(args));
  const [condition] = args.slice(2, -1);
  const step = condition ? call('_?_:_', condition, added, accu) : added;
  return fold({ range, variables: names(args.slice(0, 2)), initial: { kind: 'map', entries: [], at }, step });
};

const transformMapEntry: Macro = (range, args, at) => {
  const { call, accu, fold } = builder(at);
  const added = call('cel.@mapInsert', accu, body(args));
  const [condition] = args.slice(2, -1);
  const step = condition ? call('_?_:_', condition, added, accu) : added;
  return fold({ range, variables: names(args.slice(0, 2)), initial: { kind: 'map', entries: [], at }, step });
};

/** `list.sortBy(x, key)`: sorts by a list of the keys, with the input bound to a name. */
const sortBy: Macro = (range, args, at) => {
  if (range.kind === 'literal' || range.kind === 'map' || range.kind === 'struct') {
    throw new ParseIssue(range.at, 'sortBy can only be applied to a list, identifier, comprehension, call or select expression');
  }
  const input: Expr = { kind: 'ident', name: '@__sortBy_input__', at };
  const keys = mapping(1)(input, args, at);
  return binding([input, range, { kind: 'call', name: '@sortByAssociatedKeys', target: input, args: [keys], at }], at);
};

const macros: Readonly<Record<string, Macro>> = {
  'all/2': all,
  'all/3': all,
  'exists/2': exists,
  'exists/3': exists,
  'exists_one/2': existsOne,
  'exists_one/3': existsOne,
  'existsOne/3': existsOne,
  'map/2': mapping(1),
  'map/3': mapping(1),
  'filter/2': filter,
  'sortBy/2': sortBy,
  'transformList/3': mapping(2),
  'transformList/4': mapping(2),
  'transformMap/3': transformMap,
  'transformMap/4': transformMap,
  'transformMapEntry/3': transformMapEntry,
  'transformMapEntry/4': transformMapEntry,
};

/** A name for a value within an expression: a loop without iterations, whose accumulator is the variable. */
function binding([name, value, expression]: [Expr, Expr, Expr], at: number): Expr {
  const { literal, list } = builder(at);
  const variable = variableOf(name);
  const accu: Expr = { kind: 'ident', name: variable, at };
  return {
    kind: 'fold',
    variables: ['#unused'],
    range: list(),
    accumulator: variable,
    initial: value,
    condition: literal(false),
    step: accu,
    result: expression,
    at,
  };
}

function optionalMap({ name, args, at }: Call, target: Expr): Expr {
  const { call } = builder(at);
  const method = (operand: Expr, method: string): Expr => ({ kind: 'call', name: method, target: operand, args: [], at });
  const variable = variableOf(args[0]);
  const bound = binding([{ kind: 'ident', name: variable, at }, method(target, 'value'), args[1] as Expr], at);
  return call('_?_:_', method(target, 'hasValue'), name === 'optMap' ? call('optional.of', bound) : bound, call('optional.none'));
}
