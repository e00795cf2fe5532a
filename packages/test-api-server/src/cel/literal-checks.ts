import { CelEvalError } from './cel-error.js';
import type { CheckedExpr } from './checker.js';
import type { CelIssue, Expr } from './expr.js';
import { formatClauses } from './library/format-clauses.js';
import { regexOf } from './library/standard.js';
import { parseDuration, parseTimestamp } from './time.js';
import { type CelType, celTypes, typeText } from './types.js';

type Call = Extract<Expr, { kind: 'call' }>;

/** Functions of a text that has to be valid; whether it is shows without an evaluation. */
const parsers: Readonly<Record<string, (text: string) => unknown>> = {
  duration: parseDuration,
  timestamp: parseTimestamp,
  matches: regexOf,
};

/** What Kubernetes refuses in literals: invalid durations, times, patterns and formats, and elements of several types. */
export function literalIssues({ types }: CheckedExpr): CelIssue[] {
  const typeOf = (expr: Expr) => types.get(expr) ?? celTypes.dyn;
  const nodes = [...types.keys()];
  const calls = nodes.filter((node): node is Call => node.kind === 'call');
  const formats = calls.filter(({ name, target, args }) => name === 'format' && target && args.length === 1);
  const formatted = new Set(formats.flatMap(({ args }) => args.flatMap(literalsIn)));
  return [
    ...calls.flatMap(textIssues),
    ...formats.flatMap((call) => formatIssues(call, typeOf)),
    ...nodes.flatMap((node) => (formatted.has(node) ? [] : elementIssues(node, typeOf))),
  ];
}

/** Lists and maps, with those that are their elements. */
function literalsIn(expr: Expr): Expr[] {
  if (expr.kind === 'list') return [expr, ...expr.elements.flatMap(({ value }) => literalsIn(value))];
  return expr.kind === 'map' ? [expr, ...expr.entries.flatMap(({ value }) => literalsIn(value))] : [];
}

function textIssues({ name, args }: Call): CelIssue[] {
  const parse = Object.hasOwn(parsers, name) ? parsers[name] : undefined;
  const argument = args[0];
  if (parse === undefined || args.length !== 1 || argument?.kind !== 'literal') return [];
  const wrong = [{ at: argument.at, message: `invalid ${name} argument` }];
  if (typeof argument.value !== 'string') return name === 'duration' ? wrong : [];
  try {
    parse(argument.value);
    return [];
  } catch (error) {
    if (!(error instanceof CelEvalError)) throw error;
    return wrong;
  }
}

/** The problems of `"...".format([...])`, as far as the types of its arguments are known. */
function formatIssues({ target, args: [list], at }: Call, typeOf: (expr: Expr) => CelType): CelIssue[] {
  if (target?.kind !== 'literal' || typeof target.value !== 'string' || list?.kind !== 'list') return [];
  try {
    let next = 0;
    for (const clause of formatClauses(target.value)) {
      if (typeof clause === 'string') continue;
      const element = list.elements[next]?.value;
      if (element === undefined) return [{ at, message: `index ${next} out of range` }];
      next++;
      const { kind } = typeOf(element);
      const name = kind === 'opaque' ? typeText(typeOf(element)) : kind === 'optional' ? 'optional_type' : typeText(typeOf(element));
      const problem = kind === 'dyn' || kind === 'free' ? undefined : clause.typeProblem(name.replace(/[(<].*$/, ''));
      if (problem) return [{ at: element.at, message: `error during formatting: ${problem}` }];
    }
    const given = list.elements.length;
    return given > next ? [{ at, message: `too many arguments supplied to string.format (expected ${next}, got ${given})` }] : [];
  } catch (error) {
    if (!(error instanceof CelEvalError)) throw error;
    return [{ at, message: error.message }];
  }
}

/** Elements, keys and values of literals must have the type of the first one. */
function elementIssues(node: Expr, typeOf: (expr: Expr) => CelType): CelIssue[] {
  const isOptional = (each: { isOptional: boolean; value: Expr }) => {
    const type = typeOf(each.value);
    return { at: each.value.at, type: each.isOptional && type.kind === 'optional' ? type.element : type };
  };
  if (node.kind === 'list') return differing(node.elements.map(isOptional));
  if (node.kind !== 'map') return [];
  return [...differing(node.entries.map(({ key }) => ({ at: key.at, type: typeOf(key) }))), ...differing(node.entries.map(isOptional))];
}

function differing([first, ...rest]: { at: number; type: CelType }[]): CelIssue[] {
  const other = first && rest.find(({ type }) => !isSame(first.type, type));
  return other ? [{ at: other.at, message: `expected type '${typeText(first.type)}' but found '${typeText(other.type)}'` }] : [];
}

/** Whether two types are the same; that of an empty literal is any. */
function isSame(a: CelType, b: CelType): boolean {
  if (a.kind === 'free' || b.kind === 'free') return true;
  if (a.kind === 'list' && b.kind === 'list') return isSame(a.element, b.element);
  if (a.kind === 'map' && b.kind === 'map') return isSame(a.key, b.key) && isSame(a.value, b.value);
  if (a.kind === 'optional' && b.kind === 'optional') return isSame(a.element, b.element);
  return typeText(a) === typeText(b);
}
