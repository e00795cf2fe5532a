import type { Literal } from './expr.js';
import type { CelOverload } from './functions.js';
import type { CelType } from './types.js';

/** Cost of a variable, and of a field of an object. */
export const selectCost = 1;
export const listCost = 10;
export const mapCost = 30;
export const structCost = 40;

/** The cost of walking through a text, for each character. */
const textFactor = 0.1;
const patternFactor = 0.25;
/** Cost of a check of the authorizer. */
const authorizerCost = 350_000;
/** Length that is assumed of the pattern of a named format. */
const formatPattern = 128;
/** Bytes of an address of IPv6. */
const addressSize = 16;

/** Bounds of the size of a value: code points, bytes, elements. */
export interface Size {
  min: number;
  max: number;
}

/** An argument of a call as the costs depend on it; exact in an evaluation, bounded in an estimation. */
export interface CostArgument {
  size: Size;
  type: CelType;
  literal?: Literal;
}

/** The cost of a call, and the size of its value where that is known. */
export interface CallCost {
  cost: number;
  size?: Size;
}

/** A product of sizes; nothing times unbounded is nothing. */
export const times = (a: number, b: number) => (a === 0 || b === 0 ? 0 : a * b);
const walk = (size: number, factor = textFactor) => Math.ceil(size * factor);

const comparisons = new Set(['_<_', '_<=_', '_>_', '_>=_']);
const isText = ({ kind }: CelType) => kind === 'string' || kind === 'bytes';
const atMost = (max: number): Size => ({ min: 0, max });
const intOf = ({ literal }: CostArgument, absent: number) =>
  typeof literal === 'bigint' ? (literal < 0n ? Number.POSITIVE_INFINITY : Number(literal)) : absent;

type Rule = (args: readonly CostArgument[]) => CallCost;
const first = ([argument]: readonly CostArgument[]) => argument?.size ?? atMost(1);
const second = (args: readonly CostArgument[]) => args[1]?.size ?? atMost(1);

/** A walk through the first argument. */
const walks =
  (factor = textFactor): Rule =>
  (args) => ({ cost: walk(first(args).max, factor) });
/** The same, whose value is at most as long. */
const keepsSize: Rule = (args) => ({ cost: walk(first(args).max), size: first(args) });
const pattern: Rule = (args) => ({
  cost: times(walk(first(args).max + 1), walk(second(args).max, patternFactor)),
  size: atMost(first(args).max),
});

/** A call that makes a list: each of `size` elements costs `factor`. */
const makesList = (size: Size, factor = 1): CallCost => ({ cost: 1 + listCost + Math.ceil(times(size.max, factor)), size });

/** Each element against each other one. */
const compares: Rule = (args) => {
  const { max } = first(args);
  const [list] = args;
  return makesList(atMost(times(max, max)), list?.type.kind === 'list' && isText(list.type.element) ? 2 + textFactor : 2);
};
const sets =
  (factor: number): Rule =>
  (args) => ({ cost: 1 + times(first(args).max, second(args).max) * factor });

/** A walk through a list, with its texts, or through a text. */
const listWalk: Rule = (args) => {
  const [list] = args;
  if (list === undefined || list.type.kind !== 'list') return { cost: walk(first(args).max) };
  const { element } = list.type;
  return { cost: times(list.size.max, isText(element) ? 1 + walk(element.maxSize ?? Number.POSITIVE_INFINITY) : 1) };
};

/** The longest and the shortest text after a replacement. */
const replaced: Rule = ([text, part, by]) => {
  const [size, old, other] = [text, part, by].map((each) => each?.size ?? atMost(1)) as [Size, Size, Size];
  const longest =
    old.min === 0
      ? times(size.max + 1, other.max) + size.max
      : other.max <= old.min
        ? size.max
        : times(Math.ceil(size.max / old.min), other.max);
  return { cost: walk(size.max, 2 * textFactor), size: atMost(longest) };
};

const joined: Rule = ([list, separator]) => {
  const element = list?.type.kind === 'list' ? (list.type.element.maxSize ?? Number.POSITIVE_INFINITY) : 0;
  const count = list?.size.max ?? 0;
  const max = times(count, element) + times(separator?.size.max ?? 0, Math.max(0, count - 1));
  return { cost: walk(max), size: atMost(max) };
};

const added: Rule = ([a, b]) => {
  const size = { min: (a?.size.min ?? 0) + (b?.size.min ?? 0), max: (a?.size.max ?? 0) + (b?.size.max ?? 0) };
  return { cost: a && isText(a.type) ? walk(size.max) : 1, size };
};

const selector: Rule = (args) => {
  const { max } = second(args);
  return { cost: listCost + walk(max) + walk(Math.ceil(max / 2), listCost + structCost) };
};

const bytesOf = (network: CostArgument | undefined) => Math.min(network?.size.max ?? addressSize, addressSize);

/** An address, or a subnet, which is masked, in a subnet; a text is parsed first. */
const inSubnet =
  (isMasked: boolean): Rule =>
  ([network, other]) => ({
    cost:
      walk(2 * bytesOf(network)) + (isMasked ? walk(bytesOf(network)) + 1 : 0) + (other && isText(other.type) ? walk(other.size.max) : 0),
  });

/** The costs of functions that differ from 1. Kubernetes documentation, "CEL: Resource constraints". */
const rules: Readonly<Record<string, Rule>> = {
  check: () => ({ cost: authorizerCost }),
  fieldSelector: selector,
  labelSelector: selector,
  ...Object.fromEntries(['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf'].map((name) => [name, listWalk])),
  ...Object.fromEntries(['url', 'jsonpatch.escapeKey', 'lowerAscii', 'upperAscii', 'substring', 'trim'].map((name) => [name, keepsSize])),
  ...Object.fromEntries(
    ['cidr', 'isIP', 'isCIDR', 'quantity', 'isQuantity', 'semver', 'isSemver', 'format'].map((name) => [name, walks()]),
  ),
  'strings.quote': (args) => ({ cost: walk(first(args).max), size: { min: 2, max: first(args).max * 2 + 2 } }),
  ip: (args) => (args[0] && isText(args[0].type) ? walks()(args) : { cost: 1 }),
  'ip.isCanonical': walks(2 * textFactor),
  containsIP: inSubnet(false),
  containsCIDR: inSubnet(true),
  validate: (args) => ({ cost: Math.ceil(times(walk(second(args).max), formatPattern * patternFactor)) }),
  replace: replaced,
  split: (args) => ({
    cost: walk(first(args).max, 2 * textFactor),
    size: atMost(args[2] ? intOf(args[2], first(args).max) : first(args).max),
  }),
  join: joined,
  find: pattern,
  findAll: pattern,
  matches: pattern,
  bytes: (args) => (args[0]?.type.kind === 'string' ? { cost: walk(first(args).max), size: atMost(first(args).max * 4) } : { cost: 1 }),
  string: (args) => (args[0]?.type.kind === 'bytes' ? { cost: walk(first(args).max), size: atMost(first(args).max) } : { cost: 1 }),
  startsWith: (args) => ({ cost: walk(second(args).max) }),
  endsWith: (args) => ({ cost: walk(second(args).max) }),
  contains: (args) => ({ cost: times(walk(first(args).max), walk(second(args).max)) }),
  '@in': (args) => ({ cost: args[1]?.type.kind === 'list' ? second(args).max : 1 }),
  '_+_': (args) => (args[0] && (isText(args[0].type) || args[0].type.kind === 'list') ? added(args) : { cost: 1 }),
  'sets.contains': sets(1),
  'sets.intersects': sets(1),
  'sets.equivalent': sets(2),
  slice: (args) => {
    const [list, start, end] = args as [CostArgument, CostArgument, CostArgument];
    return makesList(atMost(Math.max(0, intOf(end, list.size.max) - intOf(start, 0))));
  },
  flatten: (args) => makesList(first(args), args[1] ? intOf(args[1], Number.POSITIVE_INFINITY) : 1),
  'lists.range': ([count]) => makesList(atMost(count ? intOf(count, Number.POSITIVE_INFINITY) : 0)),
  reverse: (args) => makesList(first(args)),
  distinct: compares,
  sort: compares,
  '@sortByAssociatedKeys': (args) => compares(args.slice(1)),
  dyn: (args) => ({ cost: 1, size: first(args) }),
};

/** The cost of a call of an overload. It grows with each size, so it also bounds the cost for sizes up to a maximum. */
export function callCost(name: string, { parameters }: Pick<CelOverload, 'parameters'>, args: readonly CostArgument[]): CallCost {
  // An argument of unknown type counts as what the overload takes.
  const typed = args.map((each, index) => {
    const parameter = parameters[index];
    return parameter && (each.type.kind === 'dyn' || each.type.kind === 'free') ? { ...each, type: parameter } : each;
  });
  if (name === '_==_' || name === '_!=_' || (comparisons.has(name) && typed[0] && isText(typed[0].type))) {
    if (typed[0]?.type.kind === 'opaque') return { cost: 1 };
    return { cost: walk(Math.min(first(typed).max, second(typed).max)) };
  }
  return Object.hasOwn(rules, name) ? (rules[name] as Rule)(typed) : { cost: 1 };
}
