import { type CelType, celTypes, type SimpleKind } from './types.js';
import { type CelValue, hasType } from './values.js';

/** One overload of a function. */
export interface CelOverload {
  /** The name, `_+_` for operators. */
  name: string;
  /** Whether it is called on its first parameter. */
  isMember: boolean;
  parameters: readonly CelType[];
  result: CelType;
  /** Throws a `CelEvalError`. */
  run(...args: CelValue[]): CelValue;
}

/** The functions of an environment by name. */
export type CelFunctions = ReadonlyMap<string, readonly CelOverload[]>;

/**
 * An overload by its signature: `size(string) int`, `string.contains(string) bool`, `list<A>.first() optional<A>`. Single capital letters
 * are type parameters; names that CEL does not define are opaque types.
 */
// biome-ignore lint/suspicious/noExplicitAny: the signature is the type of the arguments, checked at each call.
export function overload(signature: string, run: (...args: any[]) => CelValue): CelOverload {
  const [, callee = '', parameters = '', result = ''] = /^([^(]+)\((.*)\) (.+)$/.exec(signature) ?? [];
  const dot = signature.startsWith('_') || isQualified(callee) ? -1 : callee.lastIndexOf('.');
  const own = dot < 0 ? [] : [parseType(callee.slice(0, dot))];
  const declared = splitTypes(parameters).map(parseType);
  return { name: callee.slice(dot + 1), isMember: dot >= 0, parameters: [...own, ...declared], result: parseType(result), run };
}

/** Names with a dot that are no calls on a value. */
const namespaces = new Set(['optional', 'sets', 'strings', 'cel', 'ip', 'format', 'lists', 'jsonpatch']);

function isQualified(callee: string): boolean {
  const [first = '', ...rest] = callee.split('.');
  return rest.length === 1 && namespaces.has(first);
}

function splitTypes(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  for (const part of text.split(/([<>]|, ?)/)) {
    if (part === '<') depth++;
    if (part === '>') depth--;
    if (part.startsWith(',') && depth === 0) parts.push('');
    else parts.push((parts.pop() ?? '') + part);
  }
  return parts.filter((part) => part !== '');
}

function parseType(text: string): CelType {
  const generic = /^(\w+)<(.*)>$/.exec(text);
  if (generic) {
    const [first = celTypes.dyn, second = celTypes.dyn] = splitTypes(generic[2] ?? '').map(parseType);
    if (generic[1] === 'list') return { kind: 'list', element: first };
    if (generic[1] === 'map') return { kind: 'map', key: first, value: second };
    if (generic[1] === 'type') return { kind: 'type', of: first };
    return { kind: 'optional', element: first };
  }
  if (/^[A-Z]$/.test(text)) return { kind: 'param', name: text };
  return Object.hasOwn(celTypes, text) ? celTypes[text as SimpleKind] : { kind: 'opaque', name: text };
}

/** Groups overloads by name. */
export function functionsOf(overloads: Iterable<CelOverload>): CelFunctions {
  const byName = new Map<string, CelOverload[]>();
  for (const each of overloads) byName.set(each.name, [...(byName.get(each.name) ?? []), each]);
  return byName;
}

/** The overload for values; undefined if there is none. */
export function overloadFor(overloads: readonly CelOverload[], isMember: boolean, args: readonly CelValue[]): CelOverload | undefined {
  return overloads.find(
    (each) =>
      each.isMember === isMember &&
      each.parameters.length === args.length &&
      each.parameters.every((type, index) => hasType(args[index] as CelValue, type)),
  );
}
